"""A reader's own story on a behavioral question: kept on the device, taken along, forgotten."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from practice_pages import block_storage, check_on_a_phone, check_with_axe, put, stored
from warmup.kinds import levels

SITE = levels.load()
STORY = "senior/behavioral/fixed-a-memory-leak"
OTHER = "junior/autograd/zero-grad"
SITUATION, DID = "A job {of ours} died at 100%.", "I measured. " * 120


@pytest.fixture
def page(open_page):
    page = open_page(f"{STORY}/")
    page.get_by_text("Put your own story in its place").click()
    return page


def test_a_question_that_tells_no_story_has_no_form(open_page):
    assert SITE.by_id[STORY].is_story and not SITE.by_id[OTHER].is_story
    expect(open_page(f"{OTHER}/").locator("#your-story")).to_have_count(0)


def test_what_one_writes_is_kept_with_a_version_and_comes_back(page):
    page.get_by_label("Situation").fill(SITUATION)
    page.get_by_label("What I did").fill(DID)
    expect(page.locator("#your-story")).to_contain_text("247 words: about two minutes.")
    expect(page.locator("#your-story").get_by_role("status")).to_have_text("Kept in this browser.")
    entry = stored(page, "story")[STORY]
    assert entry["version"] == 1 and not {"{", "}"} & set("".join(map(str, entry.values())))
    page.reload()
    # It is open where there is a story.
    expect(page.get_by_label("Situation")).to_have_value(SITUATION)
    expect(page.get_by_label("What I did")).to_have_value(DID)
    check_with_axe(page, "a page with one's own story")
    page.set_viewport_size({"width": 360, "height": 740})
    check_on_a_phone(page, "a page with one's own story", "#your-story :is(button, textarea)")


def test_what_one_can_show_is_not_told(page):
    page.get_by_label("What I can show").fill("a plot " * 300)
    expect(page.locator("#your-story")).to_contain_text("Two minutes are 200 to 280 words.")
    page.get_by_label("Result").fill("flat " * 281)
    expect(page.locator("#your-story")).to_contain_text("281 words: more than two minutes.")


def test_a_story_is_forgotten_everywhere_and_can_be_brought_back(page):
    page.get_by_label("Situation").fill(SITUATION)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_label("Situation")).to_have_value(SITUATION)
    page.get_by_role("button", name="Forget this story").click()
    expect(page.get_by_label("Situation")).to_have_value("")
    expect(other.get_by_label("Situation")).to_have_value("")
    assert SITUATION[:5] not in page.evaluate("localStorage.getItem('torch-warmup')")
    page.get_by_role("button", name="Undo").click()
    expect(other.get_by_label("Situation")).to_have_value(SITUATION)
    page.get_by_label("Situation").fill("")
    assert stored(page, "story")[STORY]["gone"]


def test_a_story_is_taken_along_as_markdown_and_in_the_progress_file(page):
    page.get_by_label("Situation").fill(SITUATION)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as Markdown").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert text == f"# {SITE.by_id[STORY].title}\n\n## Situation\n\n{SITUATION}\n"
    page.goto(page.url.replace(f"{STORY}/", "practice/"))
    expect(page.locator(".tw-summary")).to_contain_text("1 of your own stories")
    with page.expect_download() as download:
        page.get_by_role("button", name="Write to a file").click()
    file = download.value.path()
    assert f"story:{STORY}" in json.loads(file.read_text(encoding="utf-8"))["entries"]
    page.get_by_role("button", name="Forget everything").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator(".tw-summary")).not_to_contain_text("stories")
    page.locator("input[type=file]").set_input_files(
        {"name": "progress.json", "mimeType": "application/json", "buffer": file.read_bytes()}
    )
    expect(page.locator(".tw-summary")).to_contain_text("1 of your own stories")


def test_a_damaged_entry_shows_what_can_be_shown(page):
    put(page, {f"story:{STORY}": {"version": 7, "situation": 3, "did": "x" * 9_000, "at": 1_700_000_000_000}})
    page.reload()
    expect(page.get_by_label("Situation")).to_have_value("")
    expect(page.get_by_label("What I did")).to_have_value("x" * 2_000)


def test_without_storage_one_can_write_and_download(open_page, address):
    page = open_page("404.html")
    block_storage(page)
    page.goto(page.url.replace("404.html", f"{STORY}/"))
    page.get_by_text("Put your own story in its place").click()
    page.get_by_label("Situation").fill(SITUATION)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as Markdown").click()
    assert SITUATION in download.value.path().read_text(encoding="utf-8")
