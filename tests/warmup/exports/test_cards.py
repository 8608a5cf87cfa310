"""Cards say and show what their pages do."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmup.content import markdown
from warmup.exports import cards
from warmup.kinds.questions import Question
from warmup.site import marks
from warmup.site.sections import Sections

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


def placed(question: Question, anchor: str, content: str) -> Sections:
    return Sections.of(marks.around("body", content, anchor)).placed(question, link)


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
        shown = placed(question, anchor, fragment)
        assert fragment in (cards.card(question, shown, link)["say"], cards.proof(shown)["run"])


def test_a_card_has_no_script_and_no_id_of_another_card(question):
    content = '<p id=\'x\'>t</p><SCRIPT>x()</SCRIPT ><svg><g id="m"/><use xlink:href="#m"/></svg>'
    assert cards.proof(placed(question, "run-it", content))["run"] == (
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
    card = cards.card(question, placed(question, "say-it", f'<p><a href="{href}">t</a></p>'), link)
    assert card["say"] == f'<p><a href="{expected}">t</a></p>'


def test_a_title_is_plain_text(question):
    assert cards.card(question, placed(question, "say-it", ""), link)["title"] == "Does 1 < 2 hold?"


def test_an_image_is_found_from_where_the_card_stands(question):
    content = '<p><img alt="A" src="../plot.png" /></p>'
    shown = cards.proof(placed(question, "run-it", content))["run"]
    assert shown == '<p><img alt="A" src="../../junior/autograd/plot.png" /></p>'


def test_a_follow_up_that_needs_the_page_in_view_says_so(question):
    folds = markdown.folds(markdown.lines('??? question here "A?"\n\n    a\n\n??? question "B?"\n\n    b\n'))
    content = "".join(
        marks.around("question", asked) + marks.around("answer", answer) for asked, answer in (("A?", "a"), ("B?", "b"))
    )
    assert cards.proof(placed(question, "they-ask-next", content), folds)["next"] == [
        {"question": "A?", "answer": "a", "here": True},
        {"question": "B?", "answer": "b"},
    ]


def test_proofs_come_by_topic(build):
    found = cards.files(build)
    assert list(found) == [cards.CARDS, "practice/proofs/junior/topic.json"]
    assert [card["topic"] for card in found[cards.CARDS]["cards"]] == ["junior/topic"]
    assert found["practice/proofs/junior/topic.json"] == {
        "junior/topic/thing": {
            "run": '<details class="guess"><summary>What?</summary></details>',
            "next": [{"question": "Why?", "answer": "<p>Because.</p>"}],
        }
    }
