"""Every practice mode works without a network after one visit."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from flashcards_page import answer, start
from warmup.exports import offline
from warmup.vocabulary import LEVELS

FOLDERS = ("write/a", "trainers/b", "predict/junior/")


@pytest.fixture
def online_page(chromium, address):
    """The practice page in a context with service workers, where a request that fails is no failure of the test."""
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(address + "practice/")
    yield page
    context.close()


def test_every_mode_works_without_a_network_after_one_visit(online_page, site):
    page = online_page
    expect(page.get_by_text("This browser now has all practice pages")).to_be_visible(timeout=60_000)
    page.context.set_offline(True)
    page.get_by_role("link", name="Flashcards").last.click()
    start(page)
    answer(page, "Good")
    page.reload()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Reveal the answer").click()
    expect(page.locator("#flashcards")).to_contain_text("Read the whole page, once there is a network again")
    page.keyboard.press("p")
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.goto(page.url.replace("flashcards", "predict"))
    page.get_by_role("button", name="Skip").click()
    page.goto(page.url.replace("predict", "mock").partition("#")[0])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#mock")).to_have_attribute("data-view", "running")
    # Each page below practice/ opens, and has nothing else in its place.
    practice = page.url.partition("mock/")[0]
    manifest = json.loads((site / offline.MANIFEST).read_text(encoding="utf-8"))["files"]
    pages = {name.removeprefix("practice/") for name in manifest if re.fullmatch("practice/(.*/)?", name)}
    files = (site / "practice").rglob("index.html")
    below = {file.relative_to(site / "practice").as_posix().removesuffix("index.html") for file in files}
    assert pages == below
    failed = page.evaluate(
        """async addresses => {
        const asked = await Promise.all(addresses.map(address => fetch(address).then(answer => answer.ok, () => false)))
        return addresses.filter((_, number) => !asked[number])
    }""",
        [practice + name for name in sorted(pages)],
    )
    assert not failed
    for name in ("anki/", *(min(one for one in pages if one.startswith(folder)) for folder in FOLDERS)):
        page.goto(practice + name)
        expect(page.locator("h1")).to_be_visible()


def test_plans_sheets_statements_and_lists_work_without_a_network_after_one_visit_to_practice(online_page, address):
    page = online_page
    expect(page.get_by_text("This browser now has all practice pages")).to_be_visible(timeout=60_000)
    page.context.set_offline(True)
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Plan").click()
    page.get_by_role("link", name="Junior in two hours").click()
    expect(page.locator(".tw-plan__done:visible")).to_contain_text("0 of")
    page.goto(address + "questions/?topic=mid/autograd")
    expect(page.get_by_role("status").filter(has_text="question").first).to_be_visible()
    for level in LEVELS:
        page.goto(f"{address}{level}/sheet/")
        expect(page.locator("h1")).to_contain_text("heet")
        page.goto(f"{address}{level}/")
        expect(page.locator("h1")).to_be_visible()
        assert page.evaluate("[...document.images].every(image => image.naturalWidth)")
    page.goto(address + "junior/the-role/what-interviewers-expect/")
    page.get_by_role("button", name="True").first.click()
    expect(page.locator(".tw-score")).to_contain_text("of 1 right")
    page.goto(address)
    expect(page.locator("h1")).to_be_visible()
    page.goto(address + "junior/autograd/zero-grad/")
    expect(page.locator("h1")).to_have_text("This page is not on this device")
