"""What tests of the flashcards do on the page."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from warmup.kinds import levels

SITE = levels.load()
PATH = "practice/flashcards/"
DAY = 86_400_000
GRADES = ("Again", "Hard", "Good", "Easy")


def counts(page):
    return page.locator(".tw-counts-now")


def question(page):
    return page.locator("#flashcards h2")


def start(page):
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(question(page)).to_be_visible()


def answer(page, grade: str) -> None:
    """By keys: a click waits for a frame, and a tab in the background has few of them."""
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name=grade)).to_have_count(1)
    page.keyboard.press(str(GRADES.index(grade) + 1))
