"""What tests of the daily warmup do on the page."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect

from practice_pages import put, stored
from warmup.kinds import levels

SITE = levels.load()
ZERO_GRAD = "junior/autograd/zero-grad"
PATH = "practice/daily/"
DAY = 86_400_000
MONDAY, TUESDAY, WEDNESDAY = "2026-03-02", "2026-03-03", "2026-03-04"


def on(page: Page, date: str) -> None:
    """Let the browser's calendar show this date, from the next page on; timers go on as they do."""
    page.clock.set_fixed_time(f"{date}T09:00:00")


def begin(page: Page) -> None:
    page.get_by_role("button", name="Start", exact=True).click()


def view(page: Page) -> str:
    return page.locator("#daily").get_attribute("data-view")


def expect_view(page: Page, name: str) -> None:
    expect(page.locator("#daily")).to_have_attribute("data-view", name)


def grade_all(page: Page, grade: str = "3") -> None:
    """Answer the cards by keys."""
    expect_view(page, "cards")
    end = page.get_by_role("button", name="Go on", exact=True)
    while not end.is_visible():
        page.keyboard.press("Space")
        expect(page.locator(".tw-grades")).to_be_visible()
        page.keyboard.press(grade)
        expect(page.locator(".tw-grades")).to_have_count(0)
        grade = "3" if grade == "1" else grade
    page.keyboard.press("Space")


def say_it(page: Page, verdict: str = "I could say it", words: int | None = None) -> None:
    """Answer the question aloud, tick so many of its words, or all, and judge it."""
    expect_view(page, "aloud")
    page.get_by_role("button", name="I have answered").click()
    boxes = page.locator(".tw-terms input").all()
    for box in boxes[:words]:
        box.check()
    page.get_by_role("button", name=verdict).click()


def predict(page: Page, right: bool = True) -> None:
    expect_view(page, "program")
    puzzle = page.locator(".tw-program .tw-puzzle")
    expect(puzzle).to_be_visible()
    key = int(puzzle.get_attribute("data-key"))
    puzzle.locator(".tw-guess").nth(key if right else int(key == 0)).click()
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".tw-verdict")).to_contain_text("Right" if right else "Wrong")
    page.get_by_role("button", name="Next").click()


def whole_day(page: Page) -> None:
    """All of a day, with good answers, from the overview to the end."""
    begin(page)
    grade_all(page)
    say_it(page)
    predict(page)
    if view(page) == "code":
        page.get_by_role("button", name="Not today").click()
    expect_view(page, "done")


def day(page: Page, date: str) -> dict:
    return stored(page, "day")[date]


def end(page: Page):
    return page.locator(".tw-session .tw-ask")


def finished(question: str = "", why: str = "level") -> dict:
    """The entry of a day whose warmup was finished."""
    return {"at": 1, "step": "done", "question": question, "why": why, "cards": "", "puzzle": "", "code": ""}


def opened_on(open_page, date: str, entries: dict | None = None):
    page = open_page("404.html")
    on(page, date)
    if entries:
        put(page, entries)
    page.goto(page.url.replace("404.html", PATH))
    return page


def card(due: float, grade: int = 3) -> dict:
    """A card that is due so many days from now."""
    now = int(time.time() * 1000)
    memory = {"stability": 2, "difficulty": 5, "reviews": 2, "grade": grade}
    return {"at": now - 3 * DAY, "last": now - 3 * DAY, "due": int(now + due * DAY), **memory}
