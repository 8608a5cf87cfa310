"""The contents beside a page mark where its reader is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

AT_THE_END = "() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1"


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize(
    "path", ["mid/autograd/hooks/", "practice/write/rope/", "about/contributing/maintaining/", "labs/attention-cost/"]
)
def test_what_was_clicked_is_marked(open_page, path, width):
    page = open_page(path, width=width)
    links = page.locator(".md-sidebar--secondary .md-nav__link[href^='#']")
    clicked = 0
    for link in links.all():
        link.click()
        target = page.locator(f"[id='{link.get_attribute('href').removeprefix('#')}']")
        expect(target).to_be_in_viewport()
        if page.evaluate(AT_THE_END):
            break  # what comes now cannot be scrolled to the top
        expect(page.locator(".md-sidebar--secondary .md-nav__link--active").last).to_have_attribute(
            "href", re.compile(f"{re.escape(link.get_attribute('href'))}$")
        )
        header = page.locator(".md-header").bounding_box()
        assert target.bounding_box()["y"] >= header["y"] + header["height"], "the header covers it"
        clicked += 1
    assert clicked > 2
