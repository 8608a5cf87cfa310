"""Every state of predicting outputs, for everyone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from practice_pages import check_on_a_phone, check_with_axe
from predict_page import PAGE, answer, shown, title


def states(page: Page):
    """Each state of the page, one after the other."""
    expect(shown(page)).to_have_count(1)
    yield "asked"
    page.keyboard.press("1")
    yield "chosen"
    answer(page, right=False)
    yield "wrong"
    page.keyboard.press("Enter")
    answer(page, right=True)
    yield "right"
    page.keyboard.press("Enter")
    page.keyboard.press("t")
    yield "typing"
    page.keyboard.type("nothing")
    page.keyboard.press("Enter")
    yield "typed"
    page.locator(".tw-setup summary").click()
    yield "choosing"
    page.evaluate("location.hash = 'end'")
    expect(page.locator("#end")).to_be_visible()
    yield "end"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page, scheme):
    page = open_page(PAGE, scheme=scheme)
    for state in states(page):
        # The whole page once, then what has changed.
        check_with_axe(page, state, None if state == "asked" else "#predict")


def test_it_fits_a_phone_and_fingers(open_page):
    page = open_page(PAGE, width=360)
    for state in states(page):
        check_on_a_phone(page, state, "#predict :is(button.tw-button, .tw-guess, summary, select, textarea)")


def test_every_program_fits_a_phone(open_page, listed):
    page = open_page(PAGE, width=360)
    for slug in (p.slug for p in listed):
        page.evaluate("name => { location.hash = name }", slug)
        expect(title(page)).to_have_attribute("id", slug)
        answer(page, right=False)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, slug
