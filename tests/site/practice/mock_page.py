"""What tests of the mock interview do on the page."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from practice_pages import put
from warmup.kinds import levels

PAGE = "practice/mock/"
SITE = levels.load()
CARDS = {q.id: q for q in SITE.questions}
# Two short questions, by their addresses, so that a session is quick and does not change with the site.
ONE, TWO = "junior/autograd/zero-grad", "junior/tensors/stack-vs-cat"
SHORT = f"{PAGE}?format=junior&minutes=15&seed=test&questions={ONE},{TWO}"


def app(page):
    return page.locator("#mock")


def press(page, *keys: str) -> None:
    """Press keys one after the other; each leaves the focus inside the app."""
    for key in keys:
        page.keyboard.press(key)
        assert page.evaluate("document.getElementById('mock').contains(document.activeElement)"), f"focus lost by {key}"


def click(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def start(page, name: str = "Start this set"):
    click(page, name)
    expect(app(page)).to_have_attribute("data-view", "running")
    return page


def question(page, number: int):
    expect(app(page).locator(".tw-ask__place").first).to_contain_text(f"Question {number} of ")


def entry(**changes) -> dict:
    """An unfinished interview as the site stores it."""
    return {
        "began": 1,
        "format": "junior",
        "minutes": 15,
        "seed": "a",
        "current": 1,
        "questions": [ONE, TWO],
        "steps": ["revealed", "follow-1"],
        "times": [30_000, 61_000],
        "correctness": [2, None],
        "reasoning": [1, None],
        "communication": [0, None],
        "at": int(time.time() * 1000),
        **changes,
    }


def put_and_reload(page, entries: dict | str) -> None:
    put(page, entries)
    page.reload()
