"""Decks of one made-up question, imported by Anki's own code."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageRequest
from bs4 import BeautifulSoup

from warmup.exports import Build, deck
from warmup.kinds import levels
from warmup.kinds.questions import Question
from warmup.project import DOCS
from warmup.site import marks
from warmup.site.expand import Renderer
from warmup.site.sections import Sections

SITE_URL = "https://example.com/torch-warmup/"


def written(folder: Path, title: str, content: str = "", site_url: str = "") -> Path:
    """The deck of one question."""
    docs = DOCS / "junior" / "autograd"
    question = Question(docs / "made-up.md", f"---\ntitle: {json.dumps(title)}\nkind: concept\n---\n")
    index = levels.Index(docs / "index.md", "---\ntitle: Autograd\n---\n")
    site = levels.Site([levels.Level("junior", [levels.Topic(index, [question])])], [])
    deck.write(Build(site, Renderer(site), {question.id: Sections.of(content)}, folder, site_url, "Name", "Summary."))
    return folder / deck.APKG


@pytest.fixture
def imported(tmp_path) -> Callable[..., Collection]:
    """Writes a deck and imports it into a collection of its own."""
    opened = []

    def imported(*arguments: str) -> Collection:
        opened.append(Collection(str(tmp_path / f"{len(opened)}.anki2")))
        package = written(tmp_path, *arguments)
        opened[-1].import_anki_package(ImportAnkiPackageRequest(package_path=str(package)))
        return opened[-1]

    yield imported
    for collection in opened:
        collection.close()


def note_in(collection: Collection):
    (note,) = map(collection.get_note, collection.find_notes(""))
    return note


def test_the_same_pages_give_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    made = []
    for now in (1.8e9, 1.9e9):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        made.append(written(tmp_path, "Why?").read_bytes())
    assert made[0] == made[1]


def test_a_title_with_markup_is_text(imported):
    title = "What does <img src=x onerror=alert(1)> & {{Answer}} do?"
    collection = imported(title)
    front = BeautifulSoup(collection.get_card(collection.find_cards("")[0]).question(), "html.parser")
    assert front.h1.get_text() == title
    assert not front.find("img")


def test_without_an_address_a_link_into_the_site_is_text(imported):
    content = marks.around(
        "body",
        '<p>See <a href="../zero-grad/#why">the <code>other</code> page</a>, '
        '<a href="#why">below</a> and <a href="https://docs.pytorch.org/">the docs</a>.</p>',
        "say-it",
    )
    docs = '<a href="https://docs.pytorch.org/">the docs</a>'
    own = SITE_URL + "junior/autograd"
    assert note_in(imported("Why?", content))["Answer"] == (
        f"<p>See the <code>other</code> page, below and {docs}.</p>"
    )
    assert note_in(imported("Why?", content, SITE_URL))["Answer"] == (
        f'<p>See <a href="{own}/zero-grad/#why">the <code>other</code> page</a>, '
        f'<a href="{own}/made-up/#why">below</a> and {docs}.</p>'
    )


def test_pictures_are_on_the_card(imported):
    drawing = '<figure class="tw-diagram"><svg role="img" aria-label="A" viewBox="0 0 1 1">{}</svg></figure>'
    content = marks.around(
        "body",
        drawing.format('<g id="m"/><use href="#m"/>')
        + '<p><img alt="A &amp; B" src="../plot.png" /><img src="../b.png"><img src="https://example.org/c.png"></p>',
        "run-it",
    )
    own = "junior--autograd--made-up--m"
    drawing = drawing.format(f'<g id="{own}"/><use href="#{own}"/>')
    assert note_in(imported("Why?", content))["Proof"] == (
        f'{drawing}<p>A &amp; B<img src="https://example.org/c.png"></p>'
    )
    assert note_in(imported("Why?", content, SITE_URL))["Proof"] == (
        f'{drawing}<p><img alt="A &amp; B" src="{SITE_URL}junior/autograd/plot.png" />'
        f'<img src="{SITE_URL}junior/autograd/b.png"><img src="https://example.org/c.png"></p>'
    )
