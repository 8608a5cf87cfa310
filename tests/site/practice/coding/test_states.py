"""Exercises, broken trainers and their lists, for everyone."""

from __future__ import annotations

from functools import partial

import pytest
from playwright.sync_api import expect

from coding_page import EXERCISE, LISTS, PAGES, TRAINER, box, timer
from practice_pages import check_on_a_phone, check_with_axe, with_stored

# One that is done, and one that was begun.
STORED = {
    f"write:{EXERCISE.slug}": {"done": True, "tries": 2, "ms": 90_000, "at": 1},
    f"trainer:{TRAINER.slug}": {"done": False, "tries": 1, "ms": 90_000, "at": 1},
}
ALL = (*PAGES.values(), *LISTS)
UNFOLD = "document.querySelectorAll('details').forEach(fold => fold.open = true)"


def shown(page) -> None:
    """Wait until the page's script has shown what is stored."""
    expect(page.locator(".tw-clock, .tw-next").first).not_to_be_empty()


@pytest.mark.parametrize("path", ALL)
def test_axe_finds_no_violation_on_a_phone_and_nothing_scrolls_sideways(open_page, path):
    page = with_stored(partial(open_page, width=390), path, STORED)
    shown(page)
    page.evaluate(UNFOLD)
    check_with_axe(page, path)
    check_on_a_phone(page, path, ".tw-try button")


@pytest.mark.parametrize("path", ALL)
def test_axe_finds_no_violation_in_the_dark(open_page, path):
    page = with_stored(partial(open_page, scheme="dark"), path, STORED)
    shown(page)
    page.evaluate(UNFOLD)
    check_with_axe(page, path, colors_only=True)  # nothing else is another there


def test_an_attempt_by_keyboard(open_page):
    page = open_page(EXERCISE.url)
    expect(timer(page)).to_be_visible()
    box(page).get_by_role("link").last.focus()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start the clock":
            break
    page.keyboard.press("Enter")
    expect(box(page).get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(box(page).get_by_role("button", name="Reset the clock")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(box(page).get_by_role("button", name="Not done after all")).to_be_focused()
    page.keyboard.press("Tab")
    hints = page.locator("#hints ~ details.tip summary")
    for hint in hints.all():
        expect(hint).to_be_visible()  # the next is, once this one is open
        for _ in range(4):
            if hint.evaluate("hint => hint === document.activeElement"):
                break
            page.keyboard.press("Tab")
        expect(hint).to_be_focused()
        page.keyboard.press("Enter")
