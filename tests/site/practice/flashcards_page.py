"""What tests of the flashcards do on the page."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from warmup.content import levels

SITE = levels.load()
PATH = "practice/flashcards/"
DAY = 86_400_000


def counts(page):
    return page.locator(".tw-counts-now")


def question(page):
    return page.locator("#flashcards h2")


def start(page):
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(question(page)).to_be_visible()


def answer(page, grade: str) -> None:
    page.get_by_role("button", name="Reveal the answer").click()
    page.get_by_role("button", name=grade).click()
