"""A question among its neighbors on print_view."""

from __future__ import annotations

from warmup.exports import print_view
from warmup.kinds.questions import Question
from warmup.project import ROOT


def test_a_question_among_its_neighbors_keeps_its_ids_apart_and_its_links_right():
    question = Question(ROOT / "docs/junior/topic/thing.md", "---\ntitle: T\n---\n")
    anchors = {"junior/topic/thing/": "topic--thing", "junior/other/page/": "other--page"}
    html = (
        '<h2 id="why">Why</h2><details class="question"><p>'
        '<a href="#why">a</a><a href="../../other/page/#myth">b</a><a href="../../other/page/">c</a>'
        '<a href="../gone/#x">d</a><a href="https://example.org/">e</a></p></details>'
    )
    html += (
        '<img src="../a.png"><svg><g id="m"/><use xlink:href="#m"/><use href="#m"/></svg>'
        '<pre>print(\' id="a" href="b"\')</pre>'
    )
    assert print_view.body(question, html, anchors, lambda url: f"https://host/{url}", lambda url: f"here/{url}") == (
        '<h2 aria-level="3" id="topic--thing--why">Why</h2><details open class="question"><p>'
        '<a href="#topic--thing--why">a</a><a href="#other--page--myth">b</a><a href="#other--page">c</a><a href="https://host/junior/topic/gone/#x">d</a>'
        '<a href="https://example.org/">e</a></p></details><img src="here/junior/topic/a.png">'
        '<svg><g id="topic--thing--m"/><use xlink:href="#topic--thing--m"/><use href="#topic--thing--m"/></svg>'
        '<pre>print(\' id="a" href="b"\')</pre>'
    )
