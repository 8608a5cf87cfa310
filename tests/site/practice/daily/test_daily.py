"""The daily warmup: what a day has, that it is the same after a reload, and what its end says."""

from __future__ import annotations

import re
import time

import pytest
from daily_page import (
    MONDAY,
    PATH,
    SITE,
    TUESDAY,
    WEDNESDAY,
    ZERO_GRAD,
    begin,
    card,
    day,
    end,
    expect_view,
    finished,
    grade_all,
    on,
    opened_on,
    predict,
    say_it,
    whole_day,
)
from playwright.sync_api import expect

from practice_pages import check_on_a_phone, check_with_axe, stored, with_stored


def test_from_the_first_page_to_the_first_card_in_three_clicks(open_page):
    page = open_page("")
    page.get_by_role("link", name="Daily warmup").first.click()
    begin(page)
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator(".tw-say")).to_be_visible()


def test_a_day_has_cards_a_question_and_a_program_and_keeps_what_came_of_them(open_page):
    page = opened_on(open_page, MONDAY)
    expect(page.locator(".tw-has li")).to_have_count(3)
    expect(page.locator(".tw-has")).to_contain_text("3 new cards")
    begin(page)
    grade_all(page)
    question = page.locator(".tw-session h2")
    expect(question).to_have_text(next(one.title for one in SITE.questions if one.id == day(page, MONDAY)["question"]))
    expect(page.locator(".tw-clock")).to_have_text(re.compile(r"0:\d\d of \d:00"))
    say_it(page, words=1)
    predict(page)
    expect_view(page, "done")
    expect(end(page)).to_contain_text("Done today: 3 cards of 3 recalled, one answer said and one program predicted.")
    found = day(page, MONDAY)
    assert found["step"] == "done" and found["verdict"] == "known" and found["right"] is True
    assert stored(page, "question")[found["question"]]["known"]
    page.keyboard.press("Space")
    expect(page.locator(".tw-about")).to_contain_text("Today's warmup is done.")


def test_what_is_due_comes_first_and_cards_that_are_known_do_not_come(open_page):
    ids = [one.id for one in SITE.questions[:12]]
    due = {f"card:{one}": card(-1 - index / 10) for index, one in enumerate(ids[:9])}
    page = with_stored(open_page, PATH, {**due, f"card:{ids[9]}": card(5)})
    expect(page.locator(".tw-has")).to_contain_text(re.compile(r"\d cards that came due"))
    begin(page)
    expect_view(page, "cards")
    chosen = next(iter(stored(page, "day").values()))
    wanted = [one for one in reversed(ids[:9]) if one != chosen["question"]]
    cards = chosen["cards"].split(",")
    assert 3 <= len(cards) <= 6 and cards == wanted[: len(cards)]


def test_it_follows_the_plan(open_page):
    plan = ["mid/tensors/broadcasting", "mid/debugging/loss-plateau", "mid/optimization/gradient-clipping"]
    plan = [one for one in plan if one in SITE.by_id] or [one.id for one in SITE.levels[1].questions[20:23]]
    known = {f"question:{plan[0]}": {"at": 1, "read": True, "known": True}}
    place = {"at": 1, "time": "hours", "level": "mid", "questions": plan}
    page = opened_on(open_page, MONDAY, {"place:plan": place, **known})
    expect(page.get_by_label("Level")).to_have_value("mid")
    begin(page)
    assert day(page, MONDAY)["question"] == plan[1] and day(page, MONDAY)["cards"].split(",")[0] == plan[0]


def test_not_yet_makes_the_card_due_and_the_day_after_asks_it(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    grade_all(page)
    asked = day(page, MONDAY)["question"]
    say_it(page, "Not yet", words=1)
    assert stored(page, "question")[asked]["notYet"] and stored(page, "card")[asked]["grade"] == 1
    on(page, TUESDAY)
    page.reload()
    begin(page)
    assert asked in day(page, TUESDAY)["cards"].split(",") and day(page, TUESDAY)["question"] != asked


def test_a_program_that_fooled_comes_again_after_two_days(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    grade_all(page)
    say_it(page)
    fooled = day(page, MONDAY)["puzzle"]
    predict(page, right=False)
    for date, again in ((TUESDAY, False), (WEDNESDAY, True)):
        on(page, date)
        page.goto(page.url)
        begin(page)
        assert (day(page, date)["puzzle"] == fooled) == again, date


def test_after_a_reload_the_day_goes_on_where_it_was_left(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    page.keyboard.press("Space")
    page.keyboard.press("3")
    expect(page.locator(".tw-ask__place").first).to_contain_text("2 cards left")
    before = day(page, MONDAY)
    page.reload()
    expect(page.locator(".tw-about")).to_contain_text("Begun today")
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".tw-ask__place").first).to_contain_text("2 cards left")
    assert day(page, MONDAY) | {"at": 0} == before | {"at": 0}
    page.keyboard.press("Escape")  # no more cards today
    say_it(page)
    page.reload()
    page.get_by_role("button", name="Go on").click()
    predict(page)
    expect_view(page, "done")


@pytest.mark.parametrize(("date", "again"), [("2026-03-05", False), ("2026-03-06", True)])
def test_a_question_rests_for_three_days_whether_or_not_there_was_a_warmup(open_page, date, again):
    before = finished(ZERO_GRAD)
    question = {"at": 1, "read": True, "known": False, "notYet": True}
    page = opened_on(open_page, date, {f"day:{MONDAY}": before, f"question:{ZERO_GRAD}": question})
    begin(page)
    assert (day(page, date)["question"] == ZERO_GRAD) == again


def test_a_session_of_flashcards_that_was_left_can_still_go_on(open_page):
    left = [one.id for one in SITE.questions[30:34]]
    place = {"at": int(time.time() * 1000), "queue": ",".join(left), "total": 4}
    page = with_stored(open_page, PATH, {"place:flashcards": place})
    begin(page)
    grade_all(page)
    expect_view(page, "aloud")
    page.goto(page.url.replace("daily", "flashcards"))
    expect(page.get_by_role("button", name="Go on: 4 cards left of 4")).to_be_visible()


def test_every_third_day_offers_code_and_taking_it_ends_the_day(open_page):
    page = opened_on(open_page, MONDAY)
    for date in (MONDAY, TUESDAY):
        on(page, date)
        page.goto(page.url)
        whole_day(page)
        assert not day(page, date)["code"]
    on(page, WEDNESDAY)
    page.goto(page.url)
    expect(page.locator(".tw-has")).to_contain_text("If you have more time: a broken trainer")
    begin(page)
    grade_all(page)
    say_it(page)
    predict(page)
    expect_view(page, "code")
    page.get_by_role("link", name="Open it").click()
    expect(page.locator(".tw-try[data-trainer]")).to_be_visible()
    assert day(page, WEDNESDAY)["step"] == "done"


@pytest.mark.parametrize(
    "entry", [{"step": "?"}, {"step": "aloud", "cards": 7, "question": "gone", "puzzle": "gone", "code": []}]
)
def test_a_day_that_this_release_does_not_know_ends(open_page, entry):
    page = opened_on(open_page, MONDAY, {f"day:{MONDAY}": {"at": 1, **entry}})
    page.get_by_role("button", name="Go on").click()
    expect_view(page, "done")
    expect(end(page)).to_contain_text("Nothing was answered today.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(open_page, scheme):
    page = open_page(PATH, scheme=scheme)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    check_with_axe(page, "overview", colors_only=scheme == "dark")
    begin(page)
    grade_all(page)
    check_with_axe(page, "aloud", colors_only=scheme == "dark")
    page.keyboard.press("Space")
    check_with_axe(page, "revealed", colors_only=scheme == "dark")
    page.keyboard.press("n")
    expect(page.locator(".tw-program .tw-puzzle")).to_be_visible()
    check_with_axe(page, "program", colors_only=scheme == "dark")
    page.keyboard.press("ArrowRight")
    check_with_axe(page, "end", colors_only=scheme == "dark")


def test_fits_a_phone_in_every_state(open_page):
    page = open_page(PATH, width=360, has_touch=True, is_mobile=True)
    controls = "#daily button, #daily select, #daily .tw-ticks label"
    check_on_a_phone(page, "overview", controls)
    begin(page)
    grade_all(page)
    check_on_a_phone(page, "aloud", controls)
    page.get_by_role("button", name="I have answered").tap()
    expect(page.get_by_role("button", name="Not yet")).to_be_in_viewport()
    check_on_a_phone(page, "revealed", controls)
    page.get_by_role("button", name="Not yet").tap()
    expect(page.locator(".tw-program .tw-puzzle")).to_be_visible()
    check_on_a_phone(page, "program", controls)
    page.get_by_role("button", name="Skip").tap()
    check_on_a_phone(page, "end", controls)
