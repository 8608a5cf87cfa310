"""Which programs come, and what is kept of the answers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from practice_pages import KEY, block_storage, stored, with_stored
from predict_page import LISTED, PAGE, PUZZLES, answer, answer_here, choose, shown, title, topic_of, visit_again


def test_filters_narrow_what_comes_and_outlive_the_visit(open_page):
    page = open_page(PAGE)
    juniors = [p for p in PUZZLES if p.question.level == "junior"]
    choose(page, "level", "junior")
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(juniors)}")
    page.keyboard.press("Escape")
    choose(page, "topic", next(topic_of(p) for p in PUZZLES if p.question.level == "mid"))
    expect(page.locator(".tw-chosen")).to_have_text("No program matches. Take one filter away.")
    expect(shown(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Check")).to_be_hidden()
    choose(page, "topic", "")
    expect(shown(page)).to_have_count(1)
    answer_here(page)
    page.get_by_role("button", name="Next").click()
    second = title(page).inner_text()
    visit_again(page)
    expect(title(page)).to_have_text(second)
    expect(page.locator(".tw-where")).to_have_text(f"Program 2 of {len(juniors)}")
    choose(page, "which", "new")
    expect(page.locator(".tw-chosen")).to_have_text(f"{len(juniors) - 1} programs")
    choose(page, "which", "wrong")
    expect(shown(page)).to_have_count(0)


def test_the_place_is_kept_and_an_answered_program_is_not_asked_again(open_page, listed):
    page = open_page(PAGE)
    page.get_by_role("button", name="Skip").click()
    page.reload()
    expect(title(page)).to_have_attribute("id", listed[1].slug)
    answer_here(page)
    visit_again(page)
    expect(title(page)).to_have_attribute("id", listed[2].slug)


NOW = 1_700_000_000_000


@pytest.mark.parametrize(
    "entries",
    [
        "not JSON",
        {"place:predict": {"at": NOW, "slug": 7, "level": {}, "topic": "<b>", "which": "__proto__", "typing": "yes"}},
        {"place:predict": {"at": NOW, "slug": "gone", "which": "wrong"}},
        {
            f"puzzle:{LISTED.slug}": {"at": NOW, "tries": 1, "right": 5},
            "puzzle:gone": {"at": NOW, "tries": 1, "right": 1},
        },
        {f"puzzle:{LISTED.slug}": {"at": NOW, "tries": 2, "right": 1, "first": "<b>", "last": 3}},
    ],
    ids=["no JSON", "odd place", "place that is gone", "impossible count", "odd flags"],
)
def test_damaged_progress_does_not_stop_the_page(open_page, listed, entries):
    page = with_stored(open_page, PAGE, entries)
    expect(page.locator(".tw-where")).to_have_text(f"Program 1 of {len(PUZZLES)}")
    answer(page, right=True)
    assert stored(page, "puzzle")[listed[0].slug]["right"] >= 1


def test_opening_the_page_does_not_write_over_what_is_stored(open_page):
    page = with_stored(open_page, PAGE, "not JSON")
    expect(shown(page)).to_have_count(1)
    assert page.evaluate("key => localStorage.getItem(key)", KEY) == "not JSON"


def test_without_storage_it_works_and_says_what_is_lost(open_page):
    page = open_page("404.html")
    block_storage(page)
    page.goto(page.url.replace("404.html", PAGE))
    expect(page.locator(".tw-notice:not(.tw-message)")).to_contain_text("does not let the site store anything")
    answer(page, right=True)
    page.keyboard.press("Enter")
    expect(page.locator(".tw-where")).to_have_text(f"Program 2 of {len(PUZZLES)}")


def test_two_tabs_share_progress_and_keep_their_places(open_page, listed):
    one = open_page(PAGE)
    two = one.context.new_page()
    two.goto(one.url)
    two.keyboard.press("ArrowRight")
    answer(one, right=True)
    two.keyboard.press("1")
    expect(title(two)).to_have_attribute("id", listed[1].slug)  # what the other tab did has not moved this one
    answer(two, right=False)
    two.locator(".tw-setup summary").click()
    topic = topic_of(listed[0])
    answered = two.locator(f"tr[data-topic='{topic}'] td").first
    for tab in (one, two):
        assert set(stored(tab, "puzzle")) == {p.slug for p in listed[:2]}
    expect(one.locator(f"tr[data-topic='{topic}'] td").first).to_have_text(answered.inner_text())
