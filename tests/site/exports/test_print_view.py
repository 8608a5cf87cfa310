"""What each level has for paper: its print view and its answers aloud."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from warmup.dev.serving import served
from warmup.exports import print_view
from warmup.kinds import levels, navigation
from warmup.testing import SAMPLE

SITE = levels.load(topic_order=navigation.topic_order(navigation.read()))
LEVEL = levels.load(SAMPLE / "docs").levels[0]


@pytest.mark.parametrize("level", SITE.levels, ids=lambda level: level.slug)
def test_a_level_links_to_a_print_view_with_all_of_its_questions(site, level, base):
    assert 'href="print/"' in (site / level.url / "index.html").read_text(encoding="utf-8")
    text = (site / level.url / print_view.PRINT / "index.html").read_text(encoding="utf-8")
    assert text.count("<article ") == len(level.questions)
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for question in level.questions:
        for section in question.sections:
            assert f"{print_view.anchor(question)}--{section.title.lower().replace(' ', '-')}" in ids
    # A link to a question that is in the document stays in the document.
    inside = {base + question.url for question in level.questions}
    shown = re.sub(r'<p class="tw-foot">.*?</p>', "", text)
    assert not inside & {link.partition("#")[0] for link in re.findall(r'href="([^"]+)"', shown)}


@pytest.mark.parametrize("level", SITE.levels, ids=lambda level: level.slug)
def test_the_answers_aloud_are_of_all_questions_and_nothing_else(site, level):
    assert 'href="short/"' in (site / level.url / "index.html").read_text(encoding="utf-8")
    text = (site / level.url / print_view.SHORT / "index.html").read_text(encoding="utf-8")
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    articles = re.findall(r"<article .*?</article>", text, re.S)
    assert len(articles) == len(level.questions)
    for question, article in zip(level.questions, articles, strict=True):
        assert f'id="{print_view.anchor(question)}"' in article
        assert re.findall(r"<strong>(\w+)</strong>:", article) == list(question.grade_names)
        assert "<pre" not in article
        assert "<details" not in article


@pytest.mark.parametrize("place", ["print/", "short/"])
def test_a_print_is_neither_searched_nor_mapped(site, place):
    assert place not in (site / "sitemap.xml").read_text(encoding="utf-8")
    assert all(f"/{place}" not in path.read_text(encoding="utf-8") for path in (site / "search").iterdir())


@pytest.fixture(scope="module")
def address(sample_site) -> str:
    with served(sample_site) as address:
        yield address


def test_a_print_view_reads_well_on_a_screen(open_page):
    for place, width, scheme in (("short/", 360, "dark"), ("print/", 360, "dark"), ("print/", 1280, "light")):
        page = open_page(f"{LEVEL.url}{place}", width=width, scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
    say_it = page.locator('h2[id$="--say-it"]').first
    expect(say_it).to_have_css("text-transform", "uppercase")
    expect(page.locator("details:not([open])")).to_have_count(0)
