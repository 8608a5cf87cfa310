"""What the site offers to paper: a print view of each level, and a PDF of it."""

from __future__ import annotations

import re
import shutil
import unicodedata

import pypdf
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from warmup.content import levels
from warmup.dev.serving import served
from warmup.exports import paper
from warmup.testing import PREFIX, SAMPLE

BASE = f"https://example.com{PREFIX}"
SITE = levels.load()
LEVEL = levels.load(SAMPLE / "docs").levels[0]


@pytest.mark.parametrize("level", SITE.levels, ids=lambda level: level.slug)
def test_a_level_links_to_a_print_view_with_all_of_its_questions(site, level):
    assert 'href="print/"' in (site / level.url / "index.html").read_text(encoding="utf-8")
    text = (site / level.url / paper.PRINT / "index.html").read_text(encoding="utf-8")
    assert text.count("<article ") == len(level.questions)
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    for question in level.questions:
        for section in question.sections:
            assert f"{paper.anchor(question)}--{section.title.lower().replace(' ', '-')}" in ids
    # A link to a question that is in the document stays in the document.
    inside = {BASE + question.url for question in level.questions}
    shown = re.sub(r'<p class="tw-foot">.*?</p>', "", text)
    assert not inside & {link.partition("#")[0] for link in re.findall(r'href="([^"]+)"', shown)}


def test_a_print_view_is_neither_searched_nor_mapped(site):
    assert "print/" not in (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "/print/" not in (site / "search/search_index.json").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def address(sample_site) -> str:
    with served(sample_site) as address:
        yield address


def test_a_print_view_reads_well_on_a_screen(open_page):
    for width, scheme in ((360, "dark"), (1280, "light")):
        page = open_page(f"{LEVEL.url}print/", width=width, scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()
    say_it = page.locator('h2[id$="--say-it"]').first
    expect(say_it).to_have_css("text-transform", "uppercase")
    expect(page.locator("details:not([open])")).to_have_count(0)


@pytest.fixture(scope="module")
def pdf(sample_site, chromium, tmp_path_factory) -> pypdf.PdfReader:
    """The sample's first level as a PDF, of a site whose address is not known."""
    folder = tmp_path_factory.mktemp("paper")
    shutil.copytree(sample_site / "assets", folder / "assets")
    view = folder / LEVEL.url / paper.PRINT / "index.html"
    view.parent.mkdir(parents=True)
    text = (sample_site / view.relative_to(folder)).read_text(encoding="utf-8")
    view.write_text(text.replace(f'href="{BASE}', 'href="../../'), encoding="utf-8")
    file = folder / paper.pdf_name(LEVEL.slug)
    assert paper.pdf(chromium, view, file) > len(LEVEL.questions)
    return pypdf.PdfReader(file)


def squeezed(text: str) -> str:
    """Without what a PDF does not keep of a text: spaces, and letters that a ligature has swallowed."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text))


def test_each_question_begins_on_a_page_that_contents_and_outline_name(pdf):
    contents = squeezed(pdf.pages[1].extract_text())
    topics = [item.title for item in pdf.outline if not isinstance(item, list)]
    questions = [item for items in pdf.outline if isinstance(items, list) for item in items]
    assert sorted(topics) == sorted(topic.label for topic in LEVEL.topics)
    assert sorted(item.title for item in questions) == sorted(question.title for question in LEVEL.questions)
    before = 1
    for item in questions:
        index = pdf.get_destination_page_number(item)
        assert index > before, "A question begins on a page of its own."
        assert squeezed(item.title) in squeezed(pdf.pages[index].extract_text()[:400])
        assert squeezed(item.title) in contents
        before = index
    assert "".join(str(pdf.get_destination_page_number(item) + 1) for item in questions) in contents


def test_folds_are_printed_open(pdf):
    first, second = [item for items in pdf.outline if isinstance(items, list) for item in items][:2]
    shown = range(pdf.get_destination_page_number(first), pdf.get_destination_page_number(second))
    text = squeezed("".join(pdf.pages[index].extract_text() for index in shown))
    question = next(question for question in LEVEL.questions if question.title == first.title)
    answers = [
        line for line in question.section("They ask next").text.split("\n") if re.fullmatch(r" {4}[\w ,.]+", line)
    ]
    assert answers
    assert all(squeezed(line) in text for line in answers)


def test_no_link_in_a_pdf_names_a_folder_of_the_machine(pdf):
    links = [
        annotation.get_object()["/A"]["/URI"]
        for page in pdf.pages
        for annotation in page.get("/Annots", [])
        if "/URI" in annotation.get_object().get("/A", {})
    ]
    assert links
    assert all(link.startswith("https://") for link in links)
