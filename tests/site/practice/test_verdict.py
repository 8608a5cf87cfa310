"""Known and Not yet at the end of a question's story: what they store, and that each is undone by a second press."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from practice_pages import check_with_axe, put, stored, with_stored

ID = "junior/autograd/zero-grad"
DAY = 86_400_000


def press(page, name: str):
    button = page.get_by_role("button", name=name, exact=True)
    button.click()
    return button


def without_times(entry: dict | None) -> dict | None:
    """An entry without when it was changed, and what a verdict keeps for its undoing."""
    own = {"at", "wasRead", "wasKnown", "wasDue", "made"}
    return entry and {key: value for key, value in entry.items() if key not in own}


def question(page) -> dict | None:
    return without_times(stored(page, "question").get(ID))


def card(page) -> dict | None:
    return without_times(stored(page, "card").get(ID))


def test_known_is_read_and_known_and_a_second_press_undoes_it(open_page):
    page = open_page(f"{ID}/")
    known = press(page, "Known")
    expect(known).to_have_attribute("aria-pressed", "true")
    assert question(page) == {"read": True, "known": True} and card(page) is None
    page.reload()
    expect(known).to_have_attribute("aria-pressed", "true")
    known.click()
    expect(known).to_have_attribute("aria-pressed", "false")
    assert question(page) == {"read": False, "known": False}


def test_not_yet_clears_known_and_makes_a_card_due_that_there_was_not(open_page):
    page = open_page(f"{ID}/")
    press(page, "Known")
    missed = press(page, "Not yet")
    expect(missed).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Known", exact=True)).to_have_attribute("aria-pressed", "false")
    assert question(page) == {"read": True, "known": False, "notYet": True}
    assert card(page)["grade"] == 1 and card(page)["reviews"] == 1
    page.goto(page.url.replace(ID, "practice/flashcards"))
    expect(page.locator("#flashcards")).to_contain_text("1 due")
    page.go_back()
    press(page, "Not yet")
    assert question(page) == {"read": True, "known": True} and card(page) == {"gone": True}


def test_a_card_that_was_there_is_due_now_and_back_at_its_day_after_undoing(open_page):
    def entry(now: int) -> dict:
        memory = {
            "stability": 9.0,
            "difficulty": 5.0,
            "last": now - DAY,
            "due": now + 8 * DAY,
            "reviews": 3,
            "grade": 3,
        }
        return {f"card:{ID}": {**memory, "at": now - DAY}}

    page = with_stored(open_page, f"{ID}/", entry(int(time.time() * 1000)))
    before = card(page)
    press(page, "Not yet")
    made_due = card(page)
    assert made_due["due"] <= page.evaluate("Date.now()")
    assert {**made_due, "due": 0} == {**before, "due": 0}, "its memory is as it was"
    page.reload()
    press(page, "Not yet")
    assert card(page) == before


def test_a_card_that_was_reviewed_since_is_left_alone(open_page):
    page = open_page(f"{ID}/")
    press(page, "Not yet")
    reviewed = {"stability": 2.0, "difficulty": 5.0, "last": 5, "due": 9, "reviews": 2, "grade": 3}
    later = page.evaluate("Date.now()") + 1000
    put(page, {**stored(page), f"card:{ID}": {**reviewed, "at": later}})
    page.reload()
    press(page, "Not yet")
    assert card(page) == reviewed


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_cut_has_no_barrier(open_page, scheme):
    page = open_page(f"{ID}/", scheme=scheme)
    press(page, "Not yet")
    check_with_axe(page, "the cut")
