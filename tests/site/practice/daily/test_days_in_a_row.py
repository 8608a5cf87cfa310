"""Days in a row: counted only if the reader wants it, with one missed day forgiven."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from daily_page import PATH, end, finished, on, whole_day
from playwright.sync_api import expect

from practice_pages import put

FIRST = date(2026, 3, 2)


def dates(*days: int) -> list[str]:
    return [(FIRST + timedelta(one)).isoformat() for one in days]


def done(*days: int) -> dict:
    return {f"day:{name}": finished() for name in dates(*days)}


def opened(open_page, day: int, entries: dict):
    page = open_page("404.html")
    on(page, *dates(day))
    put(page, entries)
    page.goto(page.url.replace("404.html", PATH))
    return page


COUNTED = {"place:daily": {"at": 1, "level": "junior", "streak": True}}


@pytest.mark.parametrize(
    ("days", "today", "shown"),
    [
        ((0, 1, 2), 3, "3 days in a row. A missed day is forgiven."),
        ((0, 1, 2), 2, "3 days in a row. A missed day is forgiven."),
        ((0, 1, 2), 4, "3 days in a row. A missed day is forgiven."),  # one day missed
        ((0, 1, 2), 5, "A row begins with today's warmup."),  # two
        ((0, 2, 4), 5, "3 days in a row. A missed day is forgiven."),
        ((0, 3, 4), 5, "2 days in a row. A missed day is forgiven."),
        ((0,), 1, "1 day in a row. A missed day is forgiven."),
        ((), 1, ""),
    ],
)
def test_one_missed_day_is_forgiven_and_two_are_not(open_page, days, today, shown):
    page = opened(open_page, today, {**COUNTED, **done(*days)})
    expect(page.get_by_label("Count my days in a row")).to_be_checked()
    expect(page.locator(".tw-days")).to_have_text(shown)


def test_it_is_counted_only_for_who_wants_it(open_page):
    page = opened(open_page, 3, done(0, 1, 2))
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    expect(page.locator(".tw-days")).to_have_text("")
    page.get_by_label("Count my days in a row").check()
    expect(page.locator(".tw-days")).to_contain_text("3 days in a row")
    page.reload()
    expect(page.locator(".tw-days")).to_contain_text("3 days in a row")
    page.get_by_label("Count my days in a row").uncheck()
    expect(page.locator(".tw-days")).to_have_text("")


def test_four_days_with_one_missed_count_as_four(open_page):
    page = opened(open_page, 0, COUNTED)
    for count, day in enumerate((0, 1, 3, 4), start=1):
        on(page, *dates(day))
        page.goto(page.url)
        whole_day(page)
        expect(end(page)).to_contain_text(f"{count} day{'s' if count > 1 else ''} in a row")
