"""Every state of predicting outputs, for everyone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from practice_pages import check_on_a_phone, check_with_axe
from predict_page import PAGE, WRONG, answer, shown, title, verdict


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
        # The whole page once, then what has changed; in the dark only colors differ.
        check_with_axe(page, state, None if state == "asked" else "#predict", colors_only=scheme == "dark")


def test_it_fits_a_phone_and_fingers(open_page):
    page = open_page(PAGE, width=360)
    for state in states(page):
        check_on_a_phone(page, state, "#predict :is(button.tw-button, .tw-guess, summary, select, textarea)")


def test_every_program_fits_a_phone(open_page, listed):
    page = open_page(PAGE, width=360)
    expect(shown(page)).to_have_count(1)
    # In the page, as one call: it is the many calls that take time.
    wide = page.evaluate(
        """async slugs => {
        const wide = []
        const until = async what => { while (!what()) await new Promise(go => setTimeout(go, 5)) }
        for (const slug of slugs) {
            location.hash = slug
            await until(() => document.querySelector(".tw-puzzle h2")?.id === slug)
            const puzzle = document.querySelector(".tw-puzzle")
            puzzle.querySelectorAll("input")[puzzle.dataset.key === "0" ? 1 : 0].click()
            document.querySelector("[data-do=check]").click()
            await until(() => !puzzle.querySelector(".tw-answer").hidden)
            if (document.documentElement.scrollWidth > 360) wide.push(slug)
        }
        return wide
    }""",
        [p.slug for p in listed],
    )
    assert not wide
    expect(verdict(page)).to_have_text(WRONG)
    expect(title(page)).to_have_attribute("id", listed[-1].slug)
