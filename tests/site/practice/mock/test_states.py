"""Every state of the mock interview, for everyone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mock_page import SHORT, app, click, entry, press, put_and_reload
from practice_pages import check_on_a_phone, check_with_axe


def states(page):
    """Walk through the states of the mode, naming each."""
    put_and_reload(page, {"interview:1": entry(steps=["revealed"] * 2)})
    click(page, "Start this set")
    page.reload()
    page.locator("summary").first.click()
    page.get_by_text("Your last interviews").click()
    yield "setup"
    click(page, "Continue")
    press(page, "k")
    yield "paused"
    press(page, "Space")
    expect(app(page).locator(".tw-follow-up h3")).not_to_contain_text("Loading")
    yield "follow-up"
    press(page, "Space", "Space", "3")
    page.get_by_text("The code that ran").click()
    expect(app(page).locator("details .tw-output").first).to_be_visible()
    yield "revealed"
    click(page, "Next question")
    click(page, "Skip")
    yield "summary"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(open_page, scheme):
    page = open_page(SHORT, scheme=scheme)
    for state in states(page):
        check_with_axe(page, state)


def test_a_phone_shows_every_state_without_scrolling_sideways(open_page):
    page = open_page(SHORT, width=360)
    for state in states(page):
        check_on_a_phone(page, state, "#mock :is(button, .tw-view label:not(.tw-fields *), summary)")
