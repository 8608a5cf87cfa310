"""The cheat sheet of each level, on a phone and on paper."""

from __future__ import annotations

import io
import re

import pypdf
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from warmup.kinds import levels, navigation

SITE = levels.load(topic_order=navigation.topic_order(navigation.read()))


@pytest.mark.parametrize("level", SITE.levels, ids=lambda level: level.slug)
def test_a_cheat_sheet_has_every_line_on_one_sheet_of_paper(open_page, level):
    page = open_page(f"{level.url}sheet/", width=390, scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    links = page.locator(".tw-lines li > a").evaluate_all("links => links.map(link => new URL(link.href).pathname)")
    assert [link.partition(f"/{level.slug}/")[2] for link in links] == [
        f"{question.topic}/{question.slug}/" for question in level.questions
    ]
    numbers = page.locator(".tw-lines li").evaluate_all("items => items.map(item => item.value)")
    assert numbers == list(range(1, len(level.questions) + 1))
    pdf = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    # One side for up to fifty questions, front and back for more, and all of a second sheet beyond 110.
    most = 1 + sum(len(level.questions) > bound for bound in (50, 75, 110))
    assert len(pdf.pages) <= most, f"{len(level.questions)} questions take {len(pdf.pages)} sides."
    assert [round(float(side) / 72 * 25.4) for side in pdf.pages[0].mediabox[2:]] == [210, 297]
    page.set_viewport_size({"width": 718, "height": 1000})  # an A4 page between its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    expect(page.locator(".md-header")).to_be_hidden()


def test_a_cheat_sheet_is_in_the_menu_and_among_the_ways_to_practice(open_page):
    page = open_page(f"{SITE.levels[0].url}sheet/")
    expect(page.get_by_role("link", name="Cheat sheet", exact=True)).to_have_class(re.compile("--active"))
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.goto(page.url.replace(f"{SITE.levels[0].url}sheet/", "practice/"))
    for level in SITE.levels:
        expect(page.locator(f'a[href$="/{level.url}sheet/"]').last).to_be_visible()
