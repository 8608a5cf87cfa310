"""The Anki deck: a note per question and per exercise, made from the same HTML as its page.

A deck is imported again and again, into a collection where its cards have been reviewed meanwhile. Anki knows a note by
its GUID, which comes from the question's id alone: a later deck updates the note and leaves the scheduling of its card.
It does so only where the incoming note is the newer one, so every note carries the time of the build, whatever changed:
a time taken from its page's file would miss a change of a snippet, of this module or of a library. With
``SOURCE_DATE_EPOCH`` set, as in reproducible builds, that is the time, and the same content gives the same bytes.
"""

from __future__ import annotations

import hashlib
import html
import io
import itertools
import os
import re
import sqlite3
import time
import zipfile
from contextlib import closing
from functools import partial
from pathlib import Path

import genanki

from warmup import licenses
from warmup.exports import cards
from warmup.exports.build import Build, Known
from warmup.kinds.entry import Entry
from warmup.kinds.exercises import Exercise
from warmup.kinds.questions import Question
from warmup.site import marks
from warmup.site.sections import Sections

APKG = "practice/torch-warmup.apkg"
DESCRIPTION = licenses.LINE

# With other fields, Anki takes this for another note type and leaves the notes that it has as they are.
FIELDS = ("Id", "Question", "Meta", "Answer", "Proof", "Ladder", "FollowUps", "Link")
FRONT = """\
<p class="meta">{{Meta}}</p>
<h1>{{Question}}</h1>
"""
BACK = """\
{{FrontSide}}
<div id="answer" class="say">{{Answer}}</div>
{{#Proof}}<h2>Run it</h2>
{{Proof}}{{/Proof}}
<h2>Listening for</h2>
{{Ladder}}
<h2>They ask next</h2>
{{FollowUps}}
{{#Link}}<p class="meta"><a href="{{Link}}">The page, with the mechanism and the sources</a></p>{{/Link}}
"""

_RELATIVE_IMAGE = re.compile(r'<img\b(?=[^>]*\ssrc="(?![a-z]+:))[^>]*>')
_ALTERNATIVE = re.compile(r'\salt="([^"]*)"')
_RELATIVE_LINK = re.compile(r'<a\b[^>]*\shref="(?![a-z]+:)[^"]*"[^>]*>(.*?)</a>', re.S)


def write(build: Build) -> None:
    """Write the deck.

    Where the site's address is not known, links into the site become plain text, and images that are files of the site
    their alternative texts. Drawings within the HTML are there in any case.
    """
    path = build.folder / APKG
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_package(_decks(build), int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))


def _stable_id(name: str) -> int:
    """An id for a deck or a note type, in the range that genanki asks for."""
    return 1 << 30 | int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 2


def _note_type(site_name: str) -> genanki.Model:
    return genanki.Model(
        _stable_id("note type"),
        site_name,
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Card", "qfmt": FRONT, "afmt": BACK}],
        css=Path(__file__).with_name("anki.css").read_text(encoding="utf-8"),
        sort_field_index=FIELDS.index("Question"),
    )


def _decks(build: Build) -> list[genanki.Deck]:
    note_type = _note_type(build.name)
    decks = []
    # Anki shows new cards by their number, which is the site's order.
    number = itertools.count(1)
    for level in build.site.levels:
        name = f"{build.name}::{level.label}"
        deck = genanki.Deck(_stable_id(name), name, DESCRIPTION)
        for question in level.questions:
            if question.id in build.contents:
                topic, kind = f"{question.level}::{question.topic}", question.kind.replace(" ", "-")
                deck.add_note(
                    genanki.Note(
                        note_type,
                        _fields(build, question),
                        guid=genanki.guid_for("torch-warmup", question.id),
                        due=next(number),
                        tags=[f"torch-warmup::{topic}", f"kind::{kind}"],
                    )
                )
        decks.append(deck)
    name = f"{build.name}::{Exercise.label_of_all}"
    deck = genanki.Deck(_stable_id(name), name, DESCRIPTION)
    for exercise in build.exercises:
        deck.add_note(
            genanki.Note(
                note_type,
                _exercise_fields(build, exercise),
                guid=genanki.guid_for("torch-warmup", exercise.id),
                due=next(number),
                tags=[f"torch-warmup::{exercise.id.replace('/', '::')}", "kind::write"],
            )
        )
    return [*decks, deck] if build.exercises else decks


def _meta(*parts: str) -> str:
    return html.escape(" · ".join(parts))


def _fields(build: Build, question: Question) -> list[str]:
    """The note's fields, in the order of ``FIELDS``, all HTML."""
    sections = _placed(build, question)
    return [
        question.id,
        html.escape(question.title),
        _meta(question.level_label, question.topic_label, question.kind_label),
        sections.say,
        sections.run.replace("<details", "<details open"),
        *_ends(build, question, sections),
    ]


def _exercise_fields(build: Build, exercise: Exercise) -> list[str]:
    """The fields of an exercise's note: it asks for the core line."""
    about = (exercise.label_of_all, exercise.level_label, exercise.topic, exercise.title)
    ends = _ends(build, exercise, _placed(build, exercise))
    return [exercise.id, html.escape(exercise.ask), _meta(*about), cards.core(exercise), "", *ends]


def _ends(build: Build, page: Entry, sections: Sections) -> list[str]:
    """The last three fields of a note: Ladder, FollowUps, Link."""
    ladder = "".join(f"<li><strong>{grade}</strong>: {text}</li>" for grade, text in sections.ladder)
    follow_ups = (f"<details><summary>{asked}</summary>{answer}</details>" for asked, answer in sections.follow_ups)
    link = html.escape(build.site_url + page.url) if build.site_url else ""
    return [f"<ul>{ladder}</ul>", "".join(follow_ups), link]


def _placed(build: Build, question: Known) -> Sections:
    """What a page's HTML says, for a note."""

    def linked(fragment: str) -> str:
        if build.site_url:
            return fragment
        fragment = _RELATIVE_IMAGE.sub(lambda image: (_ALTERNATIVE.search(image[0]) or ["", ""])[1], fragment)
        return _RELATIVE_LINK.sub(r"\1", fragment)

    shown = (
        build.contents[question.id]
        .each(partial(marks.without, "download"))
        .placed(question, lambda url: build.site_url + url)
    )
    return shown.each(linked)


def _package(decks: list[genanki.Deck], stamp: int) -> bytes:
    """The file that Anki imports; genanki's own writer would put the current time into it and not compress it."""
    with closing(sqlite3.connect(":memory:")) as database:
        genanki.Package(decks).write_to_db(database.cursor(), stamp, itertools.count(stamp * 1000))
        database.commit()
        collection = database.serialize()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in (("collection.anki2", collection), ("media", b"{}")):
            package.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()
