"""The clocks of a mock interview."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mock_page import CARDS, ONE, SHORT, TWO, app, click, press, question, start
from practice_pages import stored, with_a_still_clock


@pytest.fixture
def timed(open_page):
    """The short set, begun while the browser's clock stands still."""
    return start(with_a_still_clock(open_page, SHORT))


def clocks(page, this: str, whole: str) -> None:
    expect(page.get_by_role("timer", name="Time for this question")).to_have_text(this)
    expect(page.get_by_role("timer", name="Time for the interview")).to_have_text(whole)


def test_clocks_run_while_one_answers_and_stand_still_in_a_pause_and_at_the_answer(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    clocks(page, f"{budget}:00 left", "15:00 left")
    page.clock.run_for(61_000)
    clocks(page, f"{budget - 2}:59 left", "13:59 left")
    press(page, "k")
    expect(app(page)).to_contain_text("Paused. The clocks are stopped.")
    page.clock.run_for(600_000)
    clocks(page, f"{budget - 2}:59 left", "13:59 left")
    press(page, "k")
    expect(app(page)).not_to_contain_text("Paused")
    page.clock.run_for(9_000)
    clocks(page, f"{budget - 2}:50 left", "13:50 left")
    press(page, "Space", "Space", "Space")
    page.clock.run_for(600_000)
    clocks(page, f"{budget - 2}:50 left", "13:50 left")
    press(page, "ArrowRight")
    page.clock.run_for(10_000)
    clocks(page, f"{CARDS[TWO].minutes + 1}:50 left", "13:40 left")
    press(page, "ArrowLeft")
    clocks(page, f"{budget - 2}:50 left", "13:40 left")


def test_a_throttled_tab_loses_no_time_and_the_end_of_the_time_is_said_once(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    page.clock.fast_forward(budget * 60_000 + 42_000)  # timers fire once at most, as in a tab that sleeps
    page.clock.run_for(250)
    clocks(page, "over by 0:42", f"{14 - budget}:18 left")
    status = app(page).get_by_role("status").filter(has_text="The time for this question is up.")
    expect(status).to_have_count(1)
    press(page, "k", "k")
    page.clock.run_for(5_000)
    clocks(page, "over by 0:47", f"{14 - budget}:13 left")
    expect(status).to_have_count(0)


def test_a_page_that_is_left_keeps_its_times_and_comes_back_paused(timed):
    page = timed
    page.clock.fast_forward(20_000)
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: true })
        document.dispatchEvent(new Event("visibilitychange"))
    }""")
    assert next(iter(stored(page).values()))["times"] == [20_000, 0]
    page.clock.fast_forward(5_000)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.clock.fast_forward(60_000)
    expect(app(page)).to_contain_text("Paused")
    clocks(page, f"{CARDS[ONE].minutes + 1}:35 left", "14:35 left")


def test_after_a_reload_one_continues_where_one_was(timed):
    page, budget = timed, CARDS[ONE].minutes + 2
    press(page, "Space", "Space", "Space", "2", "1", "1")
    press(page, "ArrowRight", "Space")
    page.clock.run_for(30_000)
    page.reload()
    expect(app(page)).to_contain_text("question 2 of 2")
    page.clock.run_for(600_000)
    click(page, "Continue")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")
    clocks(page, f"{CARDS[TWO].minutes + 1}:30 left", "14:30 left")
    press(page, "ArrowLeft")
    expect(page.get_by_role("group", name="Correctness").get_by_role("radio", name="Good")).to_be_checked()
    expect(page.get_by_role("group", name="Reasoning").get_by_role("radio", name="Weak")).to_be_checked()
    clocks(page, f"{budget}:00 left", "14:30 left")
    page.reload()
    click(page, "Start anew")
    question(page, 1)
    clocks(page, f"{budget}:00 left", "15:00 left")
