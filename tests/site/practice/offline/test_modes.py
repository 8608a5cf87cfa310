"""Every practice mode works without a network after one visit."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from flashcards_page import answer, start
from warmup.exports import offline

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
    expect(page.get_by_text("This browser now has all practice pages")).to_be_visible(timeout=20_000)
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
    below = {
        f"{file.parent.relative_to(site / 'practice').as_posix()}/" for file in (site / "practice").rglob("index.html")
    }
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
