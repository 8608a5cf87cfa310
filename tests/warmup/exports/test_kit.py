"""What the interviewer kit prints of an answer, and what it has as Markdown."""

from __future__ import annotations

import dataclasses

import pytest

from warmup.exports import cards, kit
from warmup.kinds import levels
from warmup.site import marks
from warmup.site.sections import Sections


@pytest.mark.parametrize(
    ("answer", "paper"),
    [
        ("<p>It adds. And it is so.</p><p>More.</p>", "It adds. And it is so."),
        ("<p>It writes into the list:</p><pre>x</pre>", "It writes into the list."),
        ('<p>A list keeps the losses: <a href="x">program</a>. More.</p>', "A list keeps the losses. More."),
        ('<p>It keeps the sum (<a href="x">an old report</a>). It is so.</p>', "It keeps the sum. It is so."),
        ('<p>It freed them.\n<a href="x">Four norms compared</a></p>', "It freed them."),
        ('<p>Both can. <a href="x">DDIM</a> can skip <code>x</code>.</p>', "Both can. DDIM can skip <code>x</code>."),
        ('<p>In <a href="x">this case</a> it raises.</p>', "In this case it raises."),
        ("<table><tr><td>a</td></tr></table><p>The table has it.</p>", ""),
    ],
)
def test_paper_has_the_first_paragraph_of_an_answer_without_what_it_cannot_follow(answer, paper):
    assert kit.on_paper(answer) == paper


def test_a_follow_up_that_needs_its_page_is_left_out():
    answer = "<p>Because it adds to what is there.</p>"
    asked = [{"question": str(number), "answer": answer, "here": number == 1} for number in range(7)]
    assert [one["question"] for one in kit.follow_ups({"next": asked})] == ["0", "2", "3", "4"]


def test_a_signature_is_what_one_has_to_define():
    code = '''
import torch

class Cache(Base):
    """What it is."""

    size: int

    def add(self, x: int = 1) -> None:
        """Say."""
        raise NotImplementedError

def run(*, cache: Cache):
    raise NotImplementedError
'''
    assert kit.signature(code).split("\n") == [
        "class Cache(Base):",
        "    size: int",
        "    def add(self, x: int=1) -> None",
        "def run(*, cache: Cache)",
    ]


def test_the_task_is_its_text_without_code_and_box():
    box = f"<div>{marks.around('box', '<p>Download.</p><div></div>')}</div>"
    task = f'<p>Write <a href="x">it</a>.</p><div class="highlight"><pre>code</pre></div><p>Not so.</p>{box}'
    content = marks.around("body", task, "task") + marks.around("body", "<p>No.</p>", "hints")
    assert kit.task(Sections.of(content)) == "<p>Write it.</p><p>Not so.</p>"


def test_the_kit_has_each_question_once(build):
    found = kit.files(build, cards.files(build))
    assert found == {
        "practice/interview-kit/junior.json": {
            "hours": [],
            "days": [],
            "next": {"junior/topic/thing": [{"question": "Why?", "answer": "Because."}]},
        },
        "practice/interview-kit/junior-markdown.json": found[kit.address("junior", "markdown")],
    }
    written = found[kit.address("junior", "markdown")]
    assert {name: text.keys() for name, text in written.items()} == {"junior/topic/thing": {"say", "next", "ladder"}}


def test_a_level_names_what_its_plans_have_of_its_own(build):
    index = build.folder.parent / "docs/junior/index.md"
    names = "hours: [junior/topic/thing, mid/topic/other]\ndays: [practice/write/thing]"
    index.write_text(index.read_text(encoding="utf-8").replace("title: Junior", f"title: Junior\n{names}"), "utf-8")
    build = dataclasses.replace(build, site=levels.load(build.folder.parent / "docs"))
    file = kit.files(build, cards.files(build))[kit.address("junior")]
    assert (file["hours"], file["days"]) == (["junior/topic/thing"], [])
