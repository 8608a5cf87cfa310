"""A session with flashcards: by keyboard, after a reload, in two tabs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from flashcards_page import PATH, SITE, answer, counts, question, start
from practice_pages import stored, with_stored


def test_a_session_by_keyboard_alone(open_page):
    page = open_page(f"{PATH}?level=mid&topic=mid/data")
    total = sum(q.level == "mid" and q.topic == "data" for q in SITE.questions)
    expect(counts(page)).to_contain_text(f"0 due, {total} new, 0 known")
    page.locator("select[name=kind]").focus()
    page.keyboard.press("Tab")
    assert "Start" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    for left in range(total, 0, -1):
        expect(page.locator(".tw-ask__place")).to_contain_text(f"{left} card")
        expect(page.locator(".tw-say")).to_have_count(0)
        page.keyboard.press("Space")
        expect(page.locator(".tw-say")).not_to_be_empty()
        # All by which one grades is seen at once.
        for part in (".tw-ask h2", ".tw-say", ".tw-ladder li:nth-child(3)", ".tw-grades"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        page.keyboard.press("p")
        expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
        expect(page.locator(".tw-ladder li")).to_have_count(3)
        page.keyboard.press("3")
    expect(question(page)).to_have_text("That was the session")
    expect(page.locator(".tw-ask")).to_contain_text(f"good {total}")
    page.keyboard.press("u")
    expect(page.locator(".tw-ask__place")).to_contain_text("1 card left")
    page.keyboard.press("Enter")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(counts(page)).to_contain_text(f"0 due, 0 new, {total} known. Nothing is due here before")


def test_the_sites_own_keys_work_while_one_types_and_ours_only_in_the_cards(open_page):
    page = open_page(PATH)
    start(page)
    page.keyboard.press("Space")
    page.keyboard.press("/")  # the search
    page.keyboard.type("1 2 3 grad")
    expect(page.locator(".md-search__input")).to_have_value("1 2 3 grad")
    page.keyboard.press("Escape")
    assert not [name for name in stored(page) if name.startswith("card:")]


def test_again_comes_back_in_the_same_session_and_a_grade_can_be_undone(open_page):
    page = open_page(f"{PATH}?topic=junior/saving")
    start(page)
    first = question(page).inner_text()
    answer(page, "Again")
    expect(question(page)).not_to_have_text(first)
    page.get_by_role("button", name="Undo the last grade").click()
    expect(question(page)).to_have_text(first)
    assert stored(page)["card:" + next(q.id for q in SITE.questions if q.title == first)].get("gone")
    answer(page, "Again")
    seen = []
    while question(page).inner_text() != "That was the session":
        seen.append(question(page).inner_text())
        answer(page, "Good")
    assert seen.count(first) == 1
    assert seen[-1] == first
    expect(page.locator(".tw-ask")).to_contain_text("again 1")


def test_a_session_is_resumed_after_a_reload(open_page):
    page = open_page(PATH)
    start(page)
    answer(page, "Good")
    here = question(page).inner_text()
    page.reload()
    page.get_by_role("button", name="Go on: 19 cards left of 20").click()
    expect(question(page)).to_have_text(here)


@pytest.mark.parametrize(
    "place", [{"queue": "junior/nowhere/at-all,<img src=x>", "total": 2}, {"queue": 7}, {}, {"queue": "", "total": "x"}]
)
def test_a_place_that_cannot_be_resumed_is_not_offered(open_page, place):
    page = with_stored(open_page, PATH, {"place:flashcards": {**place, "at": 1_700_000_000_000}})
    expect(page.get_by_role("button", name=re.compile("^Start with"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Go on"))).to_have_count(0)


def test_two_tabs_share_their_progress(open_page):
    page = open_page(f"{PATH}?topic=junior/autograd")
    other = page.context.new_page()
    other.goto(page.url)
    start(page)
    start(other)
    first = question(page).inner_text()
    answer(page, "Good")
    second = question(page).inner_text()
    expect(question(other)).to_have_text(first)
    answer(other, "Easy")  # the same card, answered twice: the later answer counts
    # The second card has been graded nowhere yet; once it is here, the other tab does not ask it again.
    expect(question(other)).to_have_text(second)
    answer(other, "Good")
    answer(page, "Good")
    assert question(page).inner_text() not in (first, second)
    for tab in (page, other):
        tab.keyboard.press("Escape")
    for tab in (page, other):
        expect(counts(tab)).to_contain_text("2 known")
