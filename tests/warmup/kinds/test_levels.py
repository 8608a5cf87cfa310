"""Questions in the order of their topic, read again after an edit."""

from __future__ import annotations

import os

from warmup.kinds import levels
from warmup.testing import SAMPLE

PAGE = "docs/junior/autograd/thing.md"
GOOD = (SAMPLE / PAGE).read_text(encoding="utf-8")


def test_topic_without_an_index(sample):
    (sample / "docs/junior/autograd/index.md").unlink()
    assert any(
        "docs/junior/autograd/index.md: The topic has no index page." in str(p)
        for p in levels.load(sample / "docs").problems
    )


def test_a_page_is_read_again_after_an_edit(sample):
    path = sample / "docs/junior/autograd/thing.md"
    assert levels.load(sample / "docs").questions[0].title == "What is it?"
    path.write_text(GOOD.replace("What is it?", "What else is it?"))
    os.utime(path, ns=(1, 1))
    assert levels.load(sample / "docs").questions[0].title == "What else is it?"


def test_neighbors_follow_the_order_of_the_index(sample):
    folder = sample / "docs/mid/autograd"
    for slug in ("a", "b"):
        (folder / f"{slug}.md").write_text(GOOD)
    (folder / "index.md").write_text("---\ntitle: Autograd\norder: [b, thing, a]\n---\n\nText.\n")
    b, thing, a = levels.load(sample / "docs").levels[1].topics[0].questions
    assert (b.slug, thing.slug, a.slug) == ("b", "thing", "a")
    assert (b.next, thing.previous, thing.next, a.previous) == (thing, b, a, thing)


def test_neighbors_lead_through_all_topics_and_levels_in_the_order_of_nav(sample):
    site = levels.load(sample / "docs", ["mid/scaling", "mid/autograd"])
    walk, question = [], site.questions[0]
    assert question.previous is None
    while question:
        walk.append(question.id)
        assert question.next is None or question.next.previous is question
        question = question.next
    assert walk == [one.id for one in site.questions]
    assert walk[-2:] == ["mid/scaling/size", "mid/autograd/thing"]
    assert site.first("junior/") is site.first("junior/autograd/") is site.questions[0]
    assert site.first("practice/write/") is site.exercises[0] and site.first("labs/") is None


def test_a_label_stands_for_the_name_of_the_file(sample):
    path = sample / "docs/junior/autograd/thing.md"
    assert levels.load(sample / "docs").by_id["junior/autograd/thing"].short == "Thing"
    path.write_text(GOOD.replace("title: What is it?", "title: What is it?\nlabel: the_thing"))
    os.utime(path, ns=(1, 1))
    assert levels.load(sample / "docs").by_id["junior/autograd/thing"].short == "the_thing"
