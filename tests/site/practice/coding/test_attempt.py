"""An attempt at an exercise or a broken trainer: its clock, what is kept of it, and hints."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from coding_page import EXERCISE, PAGES, TRAINER, box, click, is_done, judge, timer
from practice_pages import stored, with_a_still_clock, with_stored

WRITE, MINUTES = f"write:{EXERCISE.slug}", EXERCISE.minutes


def kept(page, name: str = WRITE) -> dict:
    return {key: value for key, value in stored(page)[name].items() if key != "at"}


def test_the_clock_starts_pauses_survives_a_reload_and_can_be_reset(open_page):
    page = with_a_still_clock(open_page, EXERCISE.url)
    expect(timer(page)).to_have_text(f"{MINUTES}:00")
    page.clock.run_for(60_000)
    expect(timer(page)).to_have_text(f"{MINUTES}:00")
    click(page, "Start the clock")
    page.clock.run_for(61_000)
    expect(timer(page)).to_have_text(f"{MINUTES - 2}:59")
    expect(box(page).get_by_role("button", name="Reset the clock")).to_be_hidden()
    click(page, "Pause")
    page.clock.run_for(600_000)
    expect(timer(page)).to_have_text(f"{MINUTES - 2}:59")
    click(page, "Go on")
    page.clock.run_for(9_000)
    page.reload()
    expect(timer(page)).to_have_text(f"{MINUTES - 2}:50")
    page.clock.run_for(600_000)
    expect(timer(page)).to_have_text(f"{MINUTES - 2}:50")
    assert kept(page) == {"done": False, "tries": 0, "ms": 70_000}
    click(page, "Go on")
    page.clock.fast_forward(MINUTES * 60_000)
    page.clock.run_for(250)
    expect(timer(page)).to_have_text("1:10 over")
    click(page, "Pause")
    click(page, "Reset the clock")
    expect(timer(page)).to_have_text(f"{MINUTES}:00")
    expect(box(page).get_by_role("button", name="Reset the clock")).to_be_hidden()
    expect(box(page).get_by_role("button", name="Start the clock")).to_be_focused()
    assert kept(page)["ms"] == 0


def test_what_is_marked_as_done_stays_so_until_it_is_unmarked(open_page):
    page = open_page(EXERCISE.url)
    click(page, "Start the clock")
    click(page, "Mark as done")
    is_done(page)
    expect(box(page).get_by_role("button", name="Go on")).to_be_visible()  # the clock has stopped
    page.reload()
    is_done(page)
    click(page, "Not done after all")
    expect(box(page)).not_to_contain_text("Done.")
    expect(box(page).get_by_role("button", name="Mark as done")).to_be_visible()
    assert kept(page)["done"] is False


def test_each_judgment_counts_until_one_is_passed_which_marks_it_as_done_and_stops_the_clock(open_page):
    page = with_a_still_clock(open_page, EXERCISE.url)
    click(page, "Start the clock")
    page.clock.run_for(5_000)
    judge(page, passed=False)
    assert kept(page) == {"done": False, "tries": 1, "ms": 5_000}
    expect(box(page).get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(5_000)
    judge(page, passed=True)
    is_done(page, "Done, at judgment 2.")
    expect(box(page).get_by_role("button", name="Go on")).to_be_visible()
    page.clock.run_for(5_000)
    judge(page, passed=False)
    assert kept(page) == {"done": True, "tries": 2, "ms": 10_000}
    is_done(page, "Done, at judgment 2.")


def test_an_exercise_and_a_trainer_are_kept_apart_and_in_all_tabs(open_page):
    page = open_page(TRAINER.url)
    other = page.context.new_page()
    other.goto(page.url)
    judge(page, passed=True)
    for tab in (page, other):
        is_done(tab)
    assert list(stored(page)) == [f"trainer:{TRAINER.slug}"]
    assert kept(page, f"trainer:{TRAINER.slug}") == {"done": True, "tries": 1, "ms": 0}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_hints_open_one_by_one(open_page, path):
    page = open_page(path)
    hints = page.locator("#hints ~ details.tip")
    count = hints.count()
    assert count >= 2
    for shown in range(1, count + 1):
        assert [hint.is_visible() for hint in hints.all()] == [True] * shown + [False] * (count - shown)
        hints.nth(shown - 1).locator("summary").click()
        if shown < count:
            expect(hints.nth(shown)).to_be_visible()
    hints.first.locator("summary").click()  # a hint that was closed again hides none
    assert all(hint.is_visible() for hint in hints.all())


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_without_javascript_there_are_all_hints_and_no_clock(open_page, path):
    page = open_page(path, javascript=False)
    assert all(hint.is_visible() for hint in page.locator("#hints ~ details.tip").all())
    assert box(page).get_by_role("link").count() >= 2
    assert box(page).get_by_role("button").count() == 0


@pytest.mark.parametrize("damage", [{"done": "yes"}, {"ms": None}])
def test_a_damaged_entry_is_not_used(open_page, damage):
    page = with_stored(open_page, EXERCISE.url, {WRITE: {"done": True, "tries": 3, "ms": 60_000, "at": 1, **damage}})
    expect(timer(page)).to_have_text(f"{MINUTES}:00")
    expect(box(page)).to_contain_text("Your stored progress was damaged")
    click(page, "Mark as done")
    assert kept(page) == {"done": True, "tries": 0, "ms": 0}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_what_gives_the_solution_away_opens_once_the_page_has_judged_a_right_one(open_page, path):
    page = open_page(path)
    expect(timer(page)).not_to_be_empty()
    folds = page.locator("details.tw-spoiler")
    told = folds.locator("details.question > summary, li > strong")
    expect(folds).to_have_count(2)
    judge(page, passed=False)
    expect(told.filter(visible=True)).to_have_count(0)
    judge(page, passed=True)
    expect(told.filter(visible=True)).to_have_count(told.count())
