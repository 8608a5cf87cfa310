"""The pages of exercises and trainers in the built site: found from everywhere, complete without a script, light."""

from __future__ import annotations

import gzip
import re

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from warmup.content import one_file
from warmup.kinds import levels
from warmup.project import SNIPPETS

SITE = levels.load()


@pytest.fixture(scope="module")
def page_of(site):
    """A page's HTML, taken apart."""
    return lambda page: BeautifulSoup((site / page.url / "index.html").read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize("page", SITE.drills, ids=lambda page: page.slug)
def test_what_a_page_offers_to_download_is_there(site, page_of, page):
    found = page_of(page)
    box = found.select_one(".tw-try")
    here = site / page.url
    starter, judge = ((here / link["href"]).resolve() for link in box.select("a[download]"))
    assert starter.read_bytes().endswith(b"\n\n" + (SNIPPETS / page.start).read_bytes())
    assert judge.read_text(encoding="utf-8").endswith("\n\n" + one_file.assembled(SNIPPETS / page.judge))
    for file in (starter, judge):
        assert file.read_text(encoding="utf-8").startswith(f"# {page.title}"[:40])
    assert (here / box["data-starter"]).resolve() == starter
    assert [(here / link["href"]).resolve() for link in box.select("a[download]")] == [starter, judge]
    for link in found.select("a.tw-download"):
        assert (here / link["href"]).is_file()


@pytest.mark.parametrize("page", SITE.drills, ids=lambda page: page.slug)
def test_a_page_shows_all_sections_and_links_its_neighbors_and_questions(page_of, page):
    found = page_of(page)
    assert [one.get_text().rstrip("¶") for one in found.select("article h2")] == [*page.sections_of_all, "Related"]
    chips = found.select_one(".tw-chips").get_text(" ", strip=True)
    assert page.level_label in chips and page.topic in chips and f"{page.minutes} min" in chips
    around = {one["rel"][0]: one["href"] for one in found.select(".tw-neighbor")}
    assert around == {
        **({"prev": f"../{page.previous.slug}/"} if page.previous else {}),
        "next": f"../{page.next.slug}/" if page.next else f"../../{page.onward[0].removeprefix('practice/')}",
    }
    assert [one["href"] for one in found.select(".tw-related a")] == [f"../../../{one.url}" for one in page.related]
    assert not found.select("article details[open]")
    assert "<!-- warmup:" not in str(found.article)


@pytest.mark.parametrize("page", SITE.drills, ids=lambda page: page.slug)
def test_what_gives_a_solution_away_is_folded_like_it(page_of, page):
    found = page_of(page)
    folds = found.select("details.tw-spoiler:not([open])")
    assert [fold.find_previous_sibling("h2")["id"] for fold in folds] == ["they-ask-next", "listening-for"]
    assert all(fold.summary.get_text() == page.spoiler_of_all for fold in folds)
    inside = [
        len(found.select(f"details.tw-spoiler {what}")) for what in ("details.question", "li > strong:first-child")
    ]
    assert inside[0] == len(found.select("details.question")) == len(page.follow_ups)
    assert inside[1] >= len(page.grades) == 3


@pytest.mark.parametrize("page", SITE.exercises, ids=lambda page: page.slug)
def test_an_exercise_shows_each_mistake_in_the_fold_of_its_solution(page_of, page):
    fold = page_of(page).select_one("details.example")
    assert len(fold.select("pre.tw-diff")) == len(page.mistakes(SNIPPETS))


@pytest.mark.parametrize("page", SITE.trainers, ids=lambda page: page.slug)
def test_the_line_of_each_bug_is_that_line_of_the_file_that_one_downloads(site, page_of, page):
    fold = page_of(page).select_one("details.example")
    served = (site / "snippets" / page.start).read_text(encoding="utf-8")
    named = [one.get_text() for one in fold.select("p > strong") if one.get_text().startswith("Line ")]
    bugs = page.mistakes(SNIPPETS)
    assert bugs
    for name, bug in zip(named, bugs, strict=True):
        both = zip(served.splitlines(), bug.mended(served).splitlines(), strict=False)
        first = next(number for number, (broken, fixed) in enumerate(both, start=1) if broken != fixed)
        assert name.startswith(f"Line {first}: ")


@pytest.mark.parametrize("page", SITE.trainers, ids=lambda page: page.slug)
def test_a_trainer_shows_its_bugs_in_the_fold_of_the_diagnosis_and_nowhere_else(page_of, page):
    found = page_of(page)
    fold = found.select_one("details.example")
    names = [one.get_text() for one in fold.select("p > strong") if one.get_text().startswith("Line ")]
    bugs = [bug.why for bug in page.mistakes(SNIPPETS)]
    assert [re.sub(r"^Line \d+: ", "", name) for name in names] == [
        BeautifulSoup(bug.replace("`", ""), "html.parser").get_text() for bug in bugs
    ]
    fold.decompose()
    assert not found.select(".tw-diff")
    assert not [bug for bug in bugs if bug in found.get_text()]


def test_a_question_links_what_practices_it(page_of):
    asked = [question for question in SITE.questions if question.practice]
    assert asked
    for question in asked:
        items = [re.sub(r"\s+", " ", one.get_text()).strip() for one in page_of(question).select(".tw-foot nav li")]
        for page in question.practice:
            assert f"{page.invitation}: {page.short}" in items


@pytest.mark.parametrize("where", ["practice/", "practice/write/", "practice/trainers/"])
def test_the_overviews_list_them_with_level_and_minutes(site, where):
    found = BeautifulSoup((site / where / "index.html").read_text(encoding="utf-8"), "html.parser")
    listed = {
        one.get(f"data-{kind}"): one for kind in ("exercise", "trainer") for one in found.select(f"[data-{kind}]")
    }
    pages = {page.slug: page for page in SITE.drills if "practice/" in where and page.id.startswith(where)}
    assert listed.keys() == pages.keys()
    for slug, item in listed.items():
        assert (site / where / item.a["href"]).resolve() == (site / pages[slug].url).resolve()
        assert f"{pages[slug].level_label} · {pages[slug].minutes} min" in item.get_text()


def test_search_and_sitemap_know_them(site):
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    for page in SITE.drills:
        assert f"{page.url}</loc>" in sitemap and f'"{page.url}"' in index


def test_a_page_weighs_at_most_30_kb_compressed(site):
    folders = ["practice/", "practice/write/", "practice/trainers/", *(page.url for page in SITE.drills)]
    weights = {one: len(gzip.compress((site / one / "index.html").read_bytes(), 9)) for one in folders}
    assert not {one: weight for one, weight in weights.items() if weight > 30_000}


def test_two_clicks_lead_from_the_practice_page_to_an_attempt_also_without_a_script(open_page):
    page = open_page("practice/", javascript=False)
    page.get_by_role("link", name="Causal attention", exact=True).last.click()
    box = page.get_by_role("group", name="Your attempt")
    expect(box).to_contain_text("python judge.py starter.py")
    with page.expect_download() as download:
        box.get_by_role("link", name="judge.py").click()
    assert download.value.suggested_filename == "judge.py"


def test_no_page_scrolls_sideways_on_a_phone(open_page):
    for address in ("practice/", "practice/write/", "practice/trainers/", *(one.url for one in (*SITE.exercises[:2],))):
        page = open_page(address, width=390, scheme="dark")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
