"""Lists of exercises and broken trainers: what is done, and what to do next."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from coding_page import EXERCISE, LISTS, SITE, TRAINER
from practice_pages import put, with_stored

DONE = {"done": True, "tries": 1, "ms": 1_000, "at": 1}
BEGUN = {"done": False, "tries": 0, "ms": 1_000, "at": 1}
LEFT = {"done": False, "tries": 0, "ms": 0, "at": 1}  # marked as done, and not after all
# Two topics: one with two exercises, one with one.
ONE, TWO, THREE = EXERCISE.slug, "second-of-it", "of-another"


def only_three(route) -> None:
    """The page with three exercises, however many the site has, as it would show them."""
    text = route.fetch().text()
    item = next(one for one in re.findall(r'<li class="tw-question".*?</li>', text, re.S) if f'exercise="{ONE}"' in one)
    groups = [
        one for one in re.findall(r'<section class="tw-group">.*?</section>', text, re.S) if "data-exercise" in one
    ]
    heading = re.search(r"<h(\d)>", groups[0])[1]
    made = "".join(
        f'<section class="tw-group"><h{heading}>{name}</h{heading}><ol class="tw-questions">'
        + "".join(item.replace(ONE, slug) for slug in slugs)
        + "</ol></section>"
        for name, slugs in {"A topic": (ONE, TWO), "Another": (THREE,)}.items()
    )
    for group in groups[1:]:
        text = text.replace(group, "")
    route.fulfill(body=text.replace(groups[0], made), content_type="text/html")


STATES = {
    "nothing": ({}, [0, 0], f"Next: {ONE}"),
    "the first is done": ({ONE: DONE}, [1, 0], f"Next: {TWO}"),
    "one of the others is begun": ({ONE: DONE, THREE: BEGUN}, [1, 0], f"Go on with: {THREE}"),
    "two are begun": ({TWO: BEGUN, THREE: BEGUN}, [0, 0], f"Go on with: {TWO}"),
    "one is not done after all": ({TWO: LEFT, "no-more-there": DONE}, [0, 0], f"Next: {ONE}"),
    "all are done": ({ONE: DONE, TWO: DONE, THREE: DONE}, [2, 1], "All exercises are done."),
}


@pytest.mark.parametrize(
    ("path", "names"), [("practice/", ["one of the others is begun"]), ("practice/write/", STATES)]
)
def test_what_is_done_is_marked_and_counted_and_what_is_next_is_named(open_page, path, names):
    page = open_page("404.html")
    page.route(f"**/{path}", only_three)
    page.goto(page.url.replace("404.html", path))
    for name in names:
        entries, done, said = STATES[name]
        put(page, {f"write:{slug}": entry for slug, entry in entries.items()})
        page.reload()
        words = {slug: "Done · " if entries.get(slug) == DONE else "" for slug in (ONE, TWO, THREE)}
        words |= {slug: "Begun · " for slug in words if entries.get(slug) == BEGUN}
        counts = page.locator(".tw-group:has([data-exercise]) .tw-group__level")
        expect(counts).to_have_text([f"{done[0]} of 2 done", f"{done[1]} of 1 done"])
        for slug, word in words.items():
            meta = page.locator(f"[data-exercise={slug}] .tw-question__meta")
            expect(meta, name).to_have_text(f"{word}{EXERCISE.level_label} · {EXERCISE.minutes} min")
        following = page.locator(".tw-next[data-kind=exercise]")
        sentence, _, slug = said.partition(": ")
        expect(following, name).to_contain_text(sentence)
        if slug:
            expect(following.get_by_role("link")).to_have_attribute("href", re.compile(f"/practice/write/{slug}/$"))
            expect(following).to_contain_text(f"{EXERCISE.minutes} minutes")
        if path == "practice/":
            expect(page.locator(".tw-summary")).to_contain_text(f"{sum(done)} of 3 exercises done")


def test_what_is_done_in_another_tab_is_marked_at_once(open_page):
    page = open_page("practice/trainers/")
    following = page.locator(".tw-next")
    expect(following).to_have_text(re.compile(r"^Next: .*, \d+ minutes\.$"))
    other = page.context.new_page()
    other.goto(page.url.replace("practice/trainers/", TRAINER.url))
    other.get_by_role("button", name="Mark as done").click()
    expect(page.locator(f"[data-trainer={TRAINER.slug}]")).to_contain_text("Done · ")
    expect(page.locator(".tw-group__level").filter(has_text="1 of")).to_have_count(1)


def test_the_practice_page_says_how_many_are_done(open_page):
    page = with_stored(open_page, "practice/", {f"trainer:{one.slug}": DONE for one in SITE.trainers})
    several = "s" if len(SITE.trainers) != 1 else ""
    expect(page.locator(".tw-summary")).to_contain_text(
        f"{len(SITE.trainers)} of {len(SITE.trainers)} broken trainer{several} done"
    )
    expect(page.locator(".tw-summary")).to_contain_text(f"0 of {len(SITE.exercises)} exercise")
    expect(page.locator(".tw-next[data-kind=trainer]")).to_have_text("All broken trainers are done.")


@pytest.mark.parametrize("path", LISTS)
def test_without_javascript_the_lists_are_complete(open_page, path):
    page = open_page(path, javascript=False)
    wanted = [one for one in SITE.drills if path == "practice/" or one.url.startswith(path)]
    found = {
        item.get_by_role("link").get_attribute("href"): item.inner_text() for item in page.locator(".tw-question").all()
    }
    for one in wanted:
        text = found[one.url.removeprefix(path)]
        assert f"{one.level_label} · {one.minutes} min" in text and (one.title in text or one.short in text)
    assert len(found) == len(wanted)


@pytest.mark.parametrize("place", ["plan", "daily"])
@pytest.mark.parametrize("level", ["junior", "senior"])
def test_next_is_of_the_level_that_the_reader_has_chosen(open_page, place, level):
    page = with_stored(open_page, "practice/", {f"place:{place}": {"at": 1, "level": level}})
    for kind, first in (("exercise", SITE.exercises), ("trainer", SITE.trainers)):
        wanted = [one.short for one in first if one.level == level]
        link = page.locator(f".tw-next[data-kind={kind}] a")
        assert link.inner_text() in wanted
