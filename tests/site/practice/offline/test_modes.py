"""Every practice mode works without a network after one visit."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flashcards_page import answer, start


@pytest.fixture
def online_page(chromium, address):
    """The practice page in a context with service workers, where a request that fails is no failure of the test."""
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(address + "practice/")
    yield page
    context.close()


def test_every_mode_works_without_a_network_after_one_visit(online_page):
    page = online_page
    expect(page.get_by_text("This browser now has all practice pages")).to_be_visible(timeout=20_000)
    page.context.set_offline(True)
    page.get_by_role("link", name="Flashcards").last.click()
    start(page)
    answer(page, "Good")
    page.reload()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Reveal the answer").click()
    page.keyboard.press("p")
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.goto(page.url.replace("flashcards", "predict"))
    page.get_by_role("button", name="Skip").click()
    page.goto(page.url.replace("predict", "mock").partition("#")[0])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#mock")).to_have_attribute("data-view", "running")
