"""Every state of the flashcards, for everyone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flashcards_page import PATH, answer, counts, question, start
from practice_pages import check_on_a_phone, check_with_axe


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_any_state(open_page, scheme):
    page = open_page(f"{PATH}?topic=junior/saving", scheme=scheme)
    expect(counts(page)).not_to_be_empty()

    check_with_axe(page, "overview", colors_only=scheme == "dark")
    start(page)
    check_with_axe(page, "asked", colors_only=scheme == "dark")
    page.get_by_role("button", name="Reveal the answer").click()
    page.keyboard.press("p")
    expect(page.locator(".tw-part .highlight")).not_to_have_count(0)
    check_with_axe(page, "revealed", colors_only=scheme == "dark")
    page.get_by_role("button", name="Good").click()
    while question(page).inner_text() != "That was the session":
        answer(page, "Good")
    check_with_axe(page, "end", colors_only=scheme == "dark")


BUTTONS = "#flashcards button"


def test_fits_a_phone_in_every_state(open_page):
    page = open_page(f"{PATH}?topic=junior/saving", width=360, has_touch=True, is_mobile=True)
    check_on_a_phone(page, "overview", BUTTONS)
    start(page)
    check_on_a_phone(page, "asked", BUTTONS)
    page.get_by_role("button", name="Reveal the answer").tap()
    expect(page.locator(".tw-grades")).to_be_in_viewport()
    check_on_a_phone(page, "revealed", BUTTONS)
