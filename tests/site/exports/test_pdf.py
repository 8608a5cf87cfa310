"""A level as a PDF, read as a reader of PDFs does."""

from __future__ import annotations

import re
import shutil
import unicodedata

import pypdf
import pytest

from warmup.exports import pdf as pdf_file
from warmup.exports import print_view
from warmup.kinds import levels
from warmup.testing import SAMPLE

LEVEL = levels.load(SAMPLE / "docs").levels[0]


@pytest.fixture(scope="module")
def pdf(sample_site, chromium, tmp_path_factory, base) -> pypdf.PdfReader:
    """The sample's first level as a PDF, of a site whose address is not known."""
    folder = tmp_path_factory.mktemp("paper")
    shutil.copytree(sample_site / "assets", folder / "assets")
    view = folder / LEVEL.url / print_view.PRINT / "index.html"
    view.parent.mkdir(parents=True)
    text = (sample_site / view.relative_to(folder)).read_text(encoding="utf-8")
    view.write_text(text.replace(f'href="{base}', 'href="../../'), encoding="utf-8")
    file = folder / pdf_file.name_of(LEVEL.slug)
    assert pdf_file.write(chromium, view, file) > len(LEVEL.questions)
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
