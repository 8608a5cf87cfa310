"""What the interviewer kit prints of an answer is complete and says something."""

from __future__ import annotations

import pytest

from warmup.exports import cards, kit
from warmup.site import marks
from warmup.site.sections import Sections


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (
            "<p>There is no flag for one row of it, as an indexed row is a result. Write it back after each step.</p>",
            "There is no flag for one row of it, as an indexed row is a result. Write it back after each step.",
        ),
        (
            f"<p>It adds the gradient to what is there, and so it never overwrites. And {'so ' * 60}on.</p>",
            "It adds the gradient to what is there, and so it never overwrites.",
        ),
        (
            f"<p>The result has memory of its own, so each number exists twice. I allocate it once, {'and ' * 30}write."
            "</p>",
            f"The result has memory of its own, so each number exists twice. I allocate it once, {'and ' * 30}write.",
        ),
        (
            "<p>A view never copies, and it raises if the strides do not allow it. "
            '<a href="x"><code>y()</code></a> copies only then.</p>',
            "A view never copies, and it raises if the strides do not allow it. <code>y()</code> copies only then.",
        ),
        (
            "<p>Adam divides the decay by the size of the gradient. AdamW does not, so all decay at the same rate:</p>"
            "<pre>x</pre>",
            "Adam divides the decay by the size of the gradient. AdamW does not, so all decay at the same rate.",
        ),
        (
            '<p>Not if it still has a gradient from before: see <a href="x">freezing properly</a>. '
            "The mode protects no weight.</p>",
            "Not if it still has a gradient from before. The mode protects no weight.",
        ),
        (
            '<p>It keeps the sum, as the optimizer wants it (<a href="x">an old report</a>). '
            "It never calls that function, though.</p>",
            "It keeps the sum, as the optimizer wants it. It never calls that function, though.",
        ),
        (
            "<p>A hook gets the sum. Give each branch a view, and hooks to the <em>views:</em></p><pre>x</pre>",
            "A hook gets the sum. Give each branch a view, and hooks to the <em>views.</em>",
        ),
        (
            "<p>It writes what it gets into the list. This program shows what comes of it:</p><pre>x</pre>",
            "It writes what it gets into the list.",
        ),
        (
            "<p>No. It changes what is recorded and not what the layers do. The program above shows both.</p>",
            "No. It changes what is recorded and not what the layers do.",
        ),
        (
            '<p>It reads batches ahead, and so it overlaps with the whole step. <a href="x">Four</a> has more.</p>',
            "It reads batches ahead, and so it overlaps with the whole step.",
        ),
        (
            '<p>Both use the same trained network. <a href="x">DDIM</a> can skip some steps, and DDPM cannot.</p>',
            "Both use the same trained network. DDIM can skip some steps, and DDPM cannot.",
        ),
        (
            "<p>A <em>copy is made of it. <code>x.y. Z</code> is</em> what one calls for a copy. See this page.</p>",
            "A <em>copy is made of it. <code>x.y. Z</code> is</em> what one calls for a copy.",
        ),
        (
            '<p>Keskar et al. found that it does, e.g. for "A. B? C" and (as here. Or there) too. See this page.</p>',
            'Keskar et al. found that it does, e.g. for "A. B? C" and (as here. Or there) too.',
        ),
        (
            '<p>If x &lt; 1, then the sum stays below <a href="../x/">the greatest number</a>. See this page.</p>',
            "If x &lt; 1, then the sum stays below the greatest number.",
        ),
        (
            "<p>One <strong>that ends emphasized, with all the words needed here, is it.</strong> See this page.</p>",
            "One <strong>that ends emphasized, with all the words needed here, is it.</strong>",
        ),
        ("<p>Assert it just before the call:</p><pre><code>x</code></pre><p>This is not the answer to it.</p>", ""),
        ("<table><tr><td>a</td></tr></table><p>The table has what is asked for here, in rows.</p>", ""),
        ("<p>Not necessarily.</p><p>It depends.</p>", ""),
    ],
)
def test_one_line_of_an_answer(answer, line):
    assert kit.one_line(answer) == line


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
    assert {url: list(file) for url, file in found.items()} == {kit.FILE: ["junior/topic/thing"], kit.EXERCISES: []}
