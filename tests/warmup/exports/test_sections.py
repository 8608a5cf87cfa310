"""A question's HTML is cut where its sections, folds and bullets are."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from warmup.content.questions import Question
from warmup.exports.sections import Sections, without_downloads

PAGE = """---
title: Why?
---

## They ask next

??? question "First?"

    A

??? question "Second?"

    B

## Listening for

- **Weak**: No.
- **Good**: Yes.
- **Strong**: Because.
"""
LADDER = (
    "<ul>\n"
    + "".join(f"<li><strong>{grade}</strong>: Says it.</li>\n" for grade in ("Weak", "Good", "Strong"))
    + "</ul>"
)
FOLLOW_UP = '<details class="question"><summary>{}</summary><p>{}</p></details>\n'


@pytest.fixture
def question() -> Question:
    """A question whose Markdown says nothing: what is cut from its HTML is not compared."""
    return Question(Path("docs/junior/autograd/order.md"), "---\ntitle: Why?\n---\n")


def heading(title: str) -> str:
    anchor = title.lower().replace(" ", "-")
    return f'<h2 id="{anchor}">{title}<a class="headerlink" href="#{anchor}" title="Permanent link">&para;</a></h2>\n'


def test_a_page_is_cut_at_its_h2_headings(question):
    content = (
        f"<p>before</p>{heading('Say it')}<p>a</p><h3 id='x'>b<a class=\"headerlink\" href='#x'>&para;</a></h3>"
        f"{heading('Why')}<p>c</p>{heading('Run it')}<p>d</p>"
    )
    cut = Sections.of(question, content)
    assert (cut.say, cut.run) == ("<p>a</p><h3 id='x'>b</h3>", "<p>d</p>")


def test_only_the_outermost_folds_are_follow_ups(question):
    inner = '<details class="question"><summary>inner</summary><p>x</p></details>'
    content = heading("They ask next") + (
        f'<details class="question"><summary>first?</summary><p>a</p>{inner}</details>\n'
        '<p>between</p><details class="note"><summary>a note</summary><p>n</p></details>'
        '<details class="question" open>\n<summary>second?</summary>\n<p>b</p></details>'
    )
    assert Sections.of(question, content).follow_ups == [("first?", f"<p>a</p>{inner}"), ("second?", "<p>b</p>")]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("<li><strong>{}</strong>: says it.</li>", "says it."),
        ("<li>\n<p><strong>{}</strong>: says it.</p>\n</li>", "says it."),
        (
            "<li>\n<p><strong>{}</strong>: says</p>\n<p>it.</p>\n<ul>\n<li>a</li>\n</ul>\n</li>",
            "says\n<p>it.</p>\n<ul>\n<li>a</li>\n</ul>",
        ),
    ],
)
def test_the_ladder_is_its_three_texts(question, item, text):
    grades = ("Weak", "Good", "Strong")
    content = (
        f"{heading('Listening for')}<ul>\n" + "\n".join(item.format(grade) for grade in grades) + "\n</ul>\n<p>c</p>"
    )
    assert Sections.of(question, content).ladder == [(grade, text) for grade in grades]


@pytest.mark.parametrize(
    ("asked", "ladder", "lost"),
    [
        (("First?", "Second?"), LADDER, []),
        (("First?",), LADDER, ["They ask next has 2"]),
        (("First?", "Second?"), LADDER.replace("<strong>Good", "<em>Good"), ["Listening for has"]),
        ((), "", ["They ask next has 2", "Listening for has"]),
    ],
)
def test_what_cards_would_lose_of_a_page_is_a_warning(caplog, asked, ladder, lost):
    question = Question(Path("docs/junior/autograd/order.md"), PAGE)
    content = heading("They ask next") + "".join(FOLLOW_UP.format(one, "x") for one in asked)
    Sections.of(question, content + heading("Listening for") + ladder)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * len(lost)
    assert all(record.name.startswith("mkdocs.") for record in caplog.records)  # what --strict counts
    for record, expected in zip(caplog.records, lost, strict=True):
        assert record.getMessage().startswith("docs/junior/autograd/order.md:")
        assert expected in record.getMessage()


def test_a_download_is_taken_out_and_no_other_link():
    link = '<a class="tw-download" href="a.py" download>Download</a>'
    assert without_downloads(f'<p>{link}<a href="a.py">b</a>{link}</p>') == '<p><a href="a.py">b</a></p>'
