"""Which program an address opens."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from predict_page import LISTED, PAGE, PUZZLES, TOPIC, choose, shown, title, topic_of


def test_a_link_opens_its_program_and_back_leads_back(open_page, listed):
    page = open_page(f"{PAGE}#{LISTED.slug}")
    expect(title(page)).to_have_attribute("id", LISTED.slug)
    expect(title(page)).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    following = listed[listed.index(LISTED) + 1].slug
    expect(title(page)).to_have_attribute("id", following)
    page.go_back()
    expect(title(page)).to_have_attribute("id", LISTED.slug)
    page.go_forward()
    expect(title(page)).to_have_attribute("id", following)
    page.goto(page.url.split("#")[0] + f"#{LISTED.slug}")
    expect(title(page)).to_have_attribute("id", LISTED.slug)


def test_back_to_the_address_without_a_name(open_page):
    page = open_page(PAGE)
    first = title(page).inner_text()
    page.keyboard.press("ArrowRight")
    expect(title(page)).not_to_have_text(first)
    page.go_back()
    expect(title(page)).to_have_text(first)


@pytest.mark.parametrize("name", ["no-such-program", "%3Cimg%20src=x%3E", "%E0%A4%A", "__proto__"])
def test_a_link_to_nothing_says_so(open_page, name):
    page = open_page(f"{PAGE}#{name}")
    expect(page.locator(".tw-message")).to_contain_text("There is no program called")
    expect(shown(page)).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tw-message")).to_be_hidden()


def test_links_within_the_page_are_no_programs(open_page):
    page = open_page(PAGE)
    page.keyboard.press("Tab")
    page.evaluate("document.querySelector('.md-skip').click()")
    expect(page.locator(".tw-message")).to_be_hidden()
    expect(shown(page)).to_have_count(1)


def test_a_link_out_of_the_chosen_ones_shows_all_again(open_page):
    page = open_page(PAGE)
    choose(page, "topic", TOPIC)
    other = next(p for p in PUZZLES if topic_of(p) != TOPIC)
    page.evaluate("name => { location.hash = name }", other.slug)
    expect(title(page)).to_have_attribute("id", other.slug)
    expect(page.locator("select[name=topic]")).to_have_value("")
