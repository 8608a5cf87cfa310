"""Cards say and show what their pages do."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmup.content.questions import Question
from warmup.exports import cards

URL = "practice/flashcards/"
PAGE = """---
title: Does 1 < 2 hold?
kind: concept
tags: [a]
minutes: 2
---
"""


@pytest.fixture
def question() -> Question:
    return Question(Path("docs/junior/autograd/order.md"), PAGE)


def link(url: str) -> str:
    return f"../../{url}"


def heading(title: str, anchor: str) -> str:
    return f'<h2 id="{anchor}">{title}<a class="headerlink" href="#{anchor}" title="Permanent link">&para;</a></h2>\n'


def test_a_page_is_cut_at_its_h2_headings():
    content = "".join(
        ("<p>before</p>", heading("Say it", "say-it"), "<p>a</p><h3 id='x'>b</h3>", heading("Why", "why"), "<p>c</p>")
    )
    assert cards.sections(content) == {"say-it": "<p>a</p><h3 id='x'>b</h3>", "why": "<p>c</p>"}


def test_only_the_outermost_folds_are_follow_ups():
    inner = '<details class="note"><summary>inner</summary><p>x</p></details>'
    section = (
        f'<details class="question"><summary>first?</summary><p>a</p>{inner}</details>\n'
        '<p>between</p><details class="question" open>\n<summary>second?</summary>\n<p>b</p></details>'
    )
    assert cards.folds(section) == [("first?", f"<p>a</p>{inner}"), ("second?", "<p>b</p>")]


@pytest.mark.parametrize(
    "item", ["<li><strong>{}</strong>: says it.</li>", "<li>\n<p><strong>{}</strong>: says it.</p>\n</li>"]
)
def test_the_ladder_is_its_three_texts(item):
    section = "<ul>\n" + "\n".join(item.format(grade) for grade in ("Weak", "Good", "Strong")) + "\n</ul>"
    assert cards.ladder(section) == ["says it."] * 3


@pytest.mark.parametrize(
    "fragment",
    [
        '<p class="c" style="text-align: right">t</p>',
        "<dl><dt>a</dt><dd>b</dd></dl>",
        '<input type="checkbox" disabled>',
        "<code>&lt;script&gt;x()&lt;/script&gt;</code>",
        '<img alt="The id=3 of a" src="https://example.com/a.png">',
        '<math display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>',
        '<figure class="tw-diagram"><svg role="img" aria-label="A > B" viewBox="0 0 1 1"><text>x</text></svg></figure>',
    ],
)
def test_a_card_shows_whatever_its_page_shows(question, fragment):
    for anchor in ("say-it", "run-it"):
        content = heading("A", anchor) + fragment
        assert fragment in (cards.card(question, content, link)["say"], cards.proof(question, content, link)["run"])


def test_a_card_has_no_script_and_no_id_of_another_card(question):
    content = heading("Run it", "run-it") + (
        '<p id=\'x\'>t</p><SCRIPT>x()</SCRIPT ><svg><g id="m"/><use xlink:href="#m"/></svg>'
    )
    assert cards.proof(question, content, link)["run"] == (
        '<p id="junior--autograd--order--x">t</p><svg><g id="junior--autograd--order--m"/>'
        '<use xlink:href="#junior--autograd--order--m"/></svg>'
    )


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("../no-grad/", "../../junior/autograd/no-grad/"),
        ("../../saving/x/#why", "../../junior/saving/x/#why"),
        ("../../../snippets/junior/autograd/a.py", "../../snippets/junior/autograd/a.py"),
        ("#why", "../../junior/autograd/order/#why"),
        ("https://example.com/a?b=1&amp;c=2#d", "https://example.com/a?b=1&amp;c=2#d"),
    ],
)
def test_links_lead_where_they_led_on_the_page(question, href, expected):
    content = heading("Say it", "say-it") + f'<p><a href="{href}">t</a></p>'
    assert cards.card(question, content, link)["say"] == f'<p><a href="{expected}">t</a></p>'


def test_a_title_is_plain_text(question):
    assert cards.card(question, "", link)["title"] == "Does 1 < 2 hold?"


def test_an_image_is_found_from_where_the_card_stands(question):
    content = heading("Run it", "run-it") + '<p><img alt="A" src="../plot.png" /></p>'
    assert cards.proof(question, content, link)["run"] == '<p><img alt="A" src="../../junior/autograd/plot.png" /></p>'
