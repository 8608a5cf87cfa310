"""Keys do what the buttons promise from the first moment, and are nobody else's."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from flashcards_page import PATH, SITE, counts, question
from practice_pages import stored, with_stored

LEFT = {"place:flashcards": {"at": 1, "queue": SITE.questions[0].id, "total": 1}}


def test_space_begins_and_goes_on_although_nothing_has_the_focus(open_page):
    page = open_page(PATH)
    expect(page.get_by_role("button", name="Start with 20 cards")).to_be_visible()
    assert page.evaluate("document.activeElement === document.body && scrollY === 0")
    page.keyboard.press("Space")
    expect(question(page)).to_be_focused()
    first = question(page).inner_text()
    page.mouse.click(1270, 850)  # the margin takes the focus away
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("Space")
    expect(page.get_by_text("Say it", exact=True)).to_be_focused()
    page.mouse.click(1270, 850)
    page.keyboard.press("n")  # Material's next page, which a session has no use for
    page.keyboard.press("3")
    expect(question(page)).not_to_have_text(first)
    second = question(page).inner_text()
    page.reload()
    expect(page.get_by_role("button", name="Go on: 19 cards left of 20")).to_be_visible()
    page.keyboard.press("Enter")
    expect(question(page)).to_have_text(second)


def test_a_key_that_is_held_does_one_thing(open_page):
    page = with_stored(open_page, PATH, LEFT)
    expect(page.get_by_role("button", name=re.compile("^Go on"))).to_be_visible()
    for _ in range(4):
        page.keyboard.down("Space")
    page.keyboard.up("Space")
    expect(page.get_by_role("button", name="Reveal the answer")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".tw-say")).to_be_visible()


def test_keys_are_left_to_what_has_the_focus_and_to_the_page_where_the_cards_are_not(open_page):
    page = open_page(PATH)
    expect(page.get_by_role("button", name="Start with 20 cards")).to_be_visible()
    for place in (".md-tabs__link", ".md-search__input", "#flashcards select"):
        page.locator(place).first.focus()
        page.keyboard.press("Space")
        page.keyboard.press("1")
        page.keyboard.press("Escape")
        expect(counts(page)).to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+Space")
    expect(counts(page)).to_be_visible()
    # Below the cards, Space is left to the browser. That it then scrolls is not asked: Chromium drops a key's scroll
    # while that of a script before it is not yet drawn.
    page.evaluate("document.querySelector('.md-content__inner').style.paddingBottom = '300vh'; scrollTo(0, 1e6)")
    page.evaluate("() => addEventListener('keydown', event => { window.left = !event.defaultPrevented })")
    page.keyboard.press("Space")
    page.wait_for_function("window.left")
    expect(counts(page)).to_be_visible()
    assert not any(name.startswith(("card:", "place:flashcards")) for name in stored(page) if "choice" not in name)
