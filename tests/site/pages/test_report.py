"""A reader reports an error: page, section and version are filled in, with a repository and without one."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from playwright.sync_api import expect

from warmup.project import ROOT

PAGE = "junior/autograd/zero-grad/"
LINK = ".tw-report a"


def asked(page) -> dict[str, str]:
    """What the link hands to the issue form, once it is about to be followed."""
    page.locator(LINK).focus()
    address = urlsplit(page.locator(LINK).get_attribute("href"))
    assert address.path.endswith("/issues/new")
    return {name: value for name, [value] in parse_qs(address.query).items()}


@pytest.mark.parametrize("path", ["", PAGE, "practice/write/causal-attention/", "practice/flashcards/", "mid/sheet/"])
def test_each_page_opens_the_issue_form_without_a_script_too(open_page, address, path):
    page = open_page(path, javascript=False)
    given = {
        name: value for name, [value] in parse_qs(urlsplit(page.locator(LINK).get_attribute("href")).query).items()
    }
    assert given["template"] == "error.yml"
    assert given["page"].endswith(f"/{path}")
    assert re.fullmatch(r"[0-9a-f]{10}", given["version"])


def test_the_form_has_a_field_for_all_that_the_link_fills_in(open_page):
    form = yaml.safe_load(Path(ROOT, ".github/ISSUE_TEMPLATE/error.yml").read_text(encoding="utf-8"))
    fields = {field["id"] for field in form["body"]}
    page = open_page(PAGE)
    page.locator("#break-it + p").evaluate("one => getSelection().selectAllChildren(one)")
    assert set(asked(page)) - {"template"} == fields - {"proof"}


def test_the_section_is_that_of_the_selected_text_which_is_quoted(open_page, address):
    page = open_page(PAGE)
    expect(page.locator(LINK)).to_be_visible()
    below = page.locator("#listening-for + ul > li").first
    below.evaluate("one => getSelection().selectAllChildren(one)")
    given = asked(page)
    assert given["page"] == address + PAGE
    assert given["section"] == "Listening for"
    assert given["wrong"].startswith("> Weak")


def test_without_a_selection_it_is_that_of_the_last_press_or_of_the_address(open_page):
    page = open_page(f"{PAGE}#listening-for")
    expect(page.locator(LINK)).to_be_visible()
    assert asked(page)["section"] == "Listening for"
    page.locator("#say-it + p").click(position={"x": 3, "y": 3})
    given = asked(page)
    assert given["section"] == "Say it"
    assert "wrong" not in given


@pytest.mark.parametrize("granted", [True, False])
def test_without_a_repository_the_text_is_copied_or_shown(chromium, address, granted):
    rights = ["clipboard-read", "clipboard-write"] if granted else []
    context = chromium.new_context(permissions=rights, service_workers="block")
    page = context.new_page()

    def without_link(route):
        text = route.fetch().text()
        route.fulfill(body=re.sub(r"<a [^>]*>Report an error</a>", "", text), content_type="text/html")

    page.route(f"{address}{PAGE}", without_link)
    if not granted:
        page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))")
    page.goto(f"{address}{PAGE}")
    page.get_by_role("button", name="Copy an error report").click()
    if granted:
        expect(page.locator(".tw-report [role=status]")).to_contain_text("Copied")
        text = page.evaluate("navigator.clipboard.readText()")
    else:
        text = page.get_by_role("textbox", name="Your report, to copy").input_value()
    assert f"Page: {address}{PAGE}" in text
    assert re.search(r"^Version of the page: [0-9a-f]{10}$", text, re.M)
    context.close()
