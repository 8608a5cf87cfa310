"""The daily warmup over several days, after a reload, past midnight, and on a phone."""

from __future__ import annotations

import time

import pytest
from daily_page import (
    DAY,
    MONDAY,
    PATH,
    SITE,
    TUESDAY,
    WEDNESDAY,
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
)
from playwright.sync_api import expect

from practice_pages import put, stored

JUNIOR = [one.id for one in SITE.levels[0].questions]
NOT_YET = {"read": True, "known": False, "notYet": True}


@pytest.mark.parametrize(("before", "weak"), [("weak", False), ("level", True)])
def test_without_a_plan_too_a_weak_question_comes_every_second_day(open_page, before, weak):
    left = {f"question:{one}": {"at": at, **NOT_YET} for at, one in enumerate(JUNIOR[:4], start=1)}
    page = opened_on(open_page, MONDAY, {**left, "day:2026-03-01": finished(JUNIOR[-1], before)})
    begin(page)
    assert (day(page, MONDAY)["question"] in JUNIOR[:4]) == weak
    assert day(page, MONDAY)["why"] == ("weak" if weak else "level")


def test_with_every_question_known_the_one_asked_longest_ago_comes(open_page):
    known = {f"question:{one}": {"at": 1, "read": True, "known": True} for one in JUNIOR}
    days = {f"day:2026-02-{at + 10}": finished(one) for at, one in enumerate(JUNIOR[:6])}
    page = opened_on(open_page, MONDAY, {**known, **days})
    begin(page)
    assert day(page, MONDAY)["question"] not in JUNIOR[:6]


def test_a_day_that_was_left_at_the_offer_of_code_counts(open_page):
    left = {**finished(JUNIOR[0]), "step": "code", "code": "trainer:nan-at-step-30"}
    place = {"at": 1, "level": "junior", "streak": True}
    page = opened_on(open_page, MONDAY, {"day:2026-03-01": left, "place:daily": place})
    expect(page.locator(".tw-days")).to_have_text("1 day in a row. A missed day is forgiven.")


@pytest.mark.parametrize("fooled", [0, 1, 2])
def test_a_program_that_was_passed_over_rests(open_page, fooled):
    wrong = {f"puzzle:{one.slug}": {"at": 1, "tries": 1, "right": 0, "last": False} for one in SITE.puzzles[:fooled]}
    page = opened_on(open_page, MONDAY, wrong)
    seen = []
    for date in (MONDAY, TUESDAY, WEDNESDAY):
        on(page, date)
        page.goto(page.url)
        begin(page)
        page.keyboard.press("Escape")  # no cards
        say_it(page)
        expect(page.locator(".tw-program .tw-puzzle")).to_be_visible()
        seen.append(day(page, date)["puzzle"])
        page.get_by_role("button", name="Skip").click()
    assert len(set(seen)) == 3 and sorted(seen[:fooled]) == sorted(one.slug for one in SITE.puzzles[:fooled])


def test_a_program_that_was_answered_is_not_asked_again_after_a_reload(open_page):
    page = opened_on(open_page, MONDAY)
    begin(page)
    grade_all(page)
    say_it(page)
    puzzle = page.locator(".tw-program .tw-puzzle")
    expect(puzzle).to_be_visible()
    puzzle.locator(".tw-guess").nth(int(puzzle.get_attribute("data-key") == "0")).click()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".tw-verdict")).to_contain_text("Wrong")
    page.reload()
    expect(page.locator(".tw-about")).to_contain_text("Today's warmup is done.")
    expect(page.locator(".tw-about")).to_contain_text("To come back: one program.")
    assert stored(page, "puzzle")[day(page, MONDAY)["puzzle"]]["tries"] == 1


def test_not_yet_once_more_makes_the_card_due_once_more(open_page):
    known = {"at": 1, **NOT_YET}
    page = opened_on(open_page, MONDAY, {f"question:{JUNIOR[0]}": known, f"card:{JUNIOR[0]}": card(5)})
    begin(page)
    grade_all(page)
    assert day(page, MONDAY)["question"] == JUNIOR[0]
    say_it(page, "Not yet")
    now = page.evaluate("Date.now()")
    assert stored(page, "card")[JUNIOR[0]]["due"] <= now < time.time() * 1000 + 5 * DAY
    assert stored(page, "question")[JUNIOR[0]]["notYet"]


def test_a_warmup_that_ends_after_midnight_has_its_cards(open_page):
    page = opened_on(open_page, MONDAY)
    page.clock.set_fixed_time(f"{MONDAY}T23:59:00")
    begin(page)
    grade_all(page, "1")
    page.clock.set_fixed_time(f"{TUESDAY}T00:01:00")
    say_it(page)
    predict(page)
    expect(end(page)).to_contain_text("2 cards of 3 recalled")
    expect(end(page)).to_contain_text("To come back: 1 card.")


def test_to_count_days_chooses_no_level(open_page):
    page = opened_on(open_page, MONDAY)
    page.get_by_label("Count my days in a row").check()
    plan = {"at": int(time.time() * 1000), "time": "hours", "level": "senior", "questions": []}
    put(page, {"place:plan": plan, "place:daily": stored(page, "place")["daily"]})
    page.reload()
    expect(page.get_by_label("Level")).to_have_value("senior")
    expect(page.get_by_label("Count my days in a row")).to_be_checked()
    page.get_by_label("Level").select_option("mid")
    page.reload()
    expect(page.get_by_label("Level")).to_have_value("mid")


def test_on_a_phone_the_offer_of_code_is_in_view_and_so_is_what_to_do(open_page):
    def on_a_phone(path):
        return open_page(path, width=390, has_touch=True, is_mobile=True)

    days = {f"day:2026-02-2{at}": finished(JUNIOR[-at]) for at in (7, 8)}
    page = opened_on(on_a_phone, MONDAY, days)
    begin(page)
    expect(page.get_by_text("Aloud, in a sentence or two: a minute.")).to_be_visible()
    grade_all(page)
    expect(page.get_by_text("Answer aloud, as you would answer a person.")).to_be_visible()
    say_it(page)
    predict(page)
    expect_view(page, "code")
    for part in (page.locator("#daily h2").last, page.get_by_role("link", name="Open it")):
        expect(part).to_be_in_viewport()
    assert page.url.endswith(PATH)
