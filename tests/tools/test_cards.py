"""Cards say what their pages say, and carry nothing that could run."""

from __future__ import annotations

from pathlib import Path

import pytest

from warmup import cards
from warmup.pages import Question

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
    content = "".join(("<p>before</p>", heading("Say it", "say-it"), "<p>a</p><h3 id='x'>b</h3>",
                       heading("Why", "why"), "<p>c</p>"))
    assert cards.sections(content) == {"say-it": "<p>a</p><h3 id='x'>b</h3>", "why": "<p>c</p>"}


def test_only_the_outermost_folds_are_follow_ups():
    inner = '<details class="note"><summary>inner</summary><p>x</p></details>'
    section = (f'<details class="question"><summary>first?</summary><p>a</p>{inner}</details>\n'
               '<p>between</p><details class="question" open>\n<summary>second?</summary>\n<p>b</p></details>')
    assert cards.folds(section) == [("first?", f"<p>a</p>{inner}"), ("second?", "<p>b</p>")]


@pytest.mark.parametrize("item", [
    "<li><strong>{}</strong>: says it.</li>", "<li>\n<p><strong>{}</strong>: says it.</p>\n</li>"])
def test_the_ladder_is_its_three_texts(item):
    section = "<ul>\n" + "\n".join(item.format(grade) for grade in ("Weak", "Good", "Strong")) + "\n</ul>"
    assert cards.ladder(section) == ["says it."] * 3


@pytest.mark.parametrize(("fragment", "cleaned"), [
    ("<p onclick=\"x()\" style='a' id=b class=c>t</p>", '<p class="c">t</p>'),
    ("a<script>x()</script><style>y</style>b", "ab"),
    ("<img src=x onerror=x()><iframe src=y></iframe>t", "t"),
    ('<a href="javascript:x()">t</a>', "<a>t</a>"),
    ("<code>&lt;img src=x onerror=x()&gt;</code>", "<code>&lt;img src=x onerror=x()&gt;</code>"),
    ('<math display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>',
     '<math display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>'),
])
def test_only_what_cannot_run_is_let_through(fragment, cleaned):
    assert cards.clean(fragment) == cleaned


@pytest.mark.parametrize(("href", "expected"), [
    ("../no-grad/", "../../junior/autograd/no-grad/"),
    ("../../saving/x/#why", "../../junior/saving/x/#why"),
    ("../../../snippets/junior/autograd/a.py", "../../snippets/junior/autograd/a.py"),
    ("#why", "../../junior/autograd/order/#why"),
    ("https://example.com/a?b=1&amp;c=2#d", "https://example.com/a?b=1&amp;c=2#d"),
])
def test_links_lead_where_they_led_on_the_page(question, href, expected):
    content = heading("Say it", "say-it") + f'<p><a href="{href}">t</a></p>'
    assert cards.card(question, content, link)["say"] == f'<p><a href="{expected}">t</a></p>'


def test_a_title_is_plain_text(question):
    assert cards.card(question, "", link)["title"] == "Does 1 < 2 hold?"


def test_a_diagram_is_a_link_to_the_page(question):
    content = heading("Run it", "run-it") + '<figure class="tw-diagram"><svg><text>x</text></svg></figure><p>t</p>'
    run = cards.proof(question, content, link)["run"]
    assert run == '<p><a href="../../junior/autograd/order/">The diagram is on the page.</a></p><p>t</p>'
