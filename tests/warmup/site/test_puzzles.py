"""A puzzle on the page of puzzles."""

from __future__ import annotations

import re

from warmup.content import levels
from warmup.site.render import Renderer, diff_block
from warmup.testing import SAMPLE

PAGE = "docs/practice/predict/add-two.md"
GOOD = (SAMPLE / PAGE).read_text(encoding="utf-8")
PROGRAM = (SAMPLE / "snippets/practice/predict/add_two.py").read_text(encoding="utf-8")


def test_a_puzzle_becomes_a_section_with_key_choices_reasons_and_changes(sample):
    site = levels.load(sample / "docs")
    lines = Renderer(site, sample).expand(
        "<!-- warmup:puzzles -->", "practice/predict/", sample / "docs/practice/predict.md"
    )
    puzzle, _ = site.puzzles
    outputs = [output for output, _ in puzzle.shuffled(sample / "snippets")]
    assert sorted(outputs) == ["[-1]", "[1, 2]", "[3]"]
    assert f'data-level="junior" data-topic="junior/autograd" data-key="{outputs.index("[3]")}"' in lines
    assert "## Add two numbers { #add-two }" in lines
    download = "../../snippets/practice/predict/add_two.py"
    assert f'```python title="add_two.py" download="{download}"\n{PROGRAM}```' in lines
    assert re.findall(r'type="radio".*<code>(.*)</code>', lines)[:3] == outputs
    assert '```output file="practice/predict/add_two.out"\n[3]\n```' in lines
    assert "[the page](../junior/autograd/thing.md)" in lines
    assert "[What is it?](../junior/autograd/thing.md)" in lines
    assert " b = 2&#10;<del>-print([a + b])</del>&#10;<ins>+print([a - b])</ins>" in lines
    assert "<code>[1, 2]</code> comes from a misconception" in lines
    assert lines.index("You took `+`") > lines.index(f'data-choice="{outputs.index("[-1]")}"')


def test_a_puzzle_with_a_problem_is_reported_and_not_shown(sample):
    (sample / PAGE).write_text(GOOD.replace("question: junior/autograd/thing", "question: gone"))
    site = levels.load(sample / "docs")
    shown = Renderer(site, sample).expand("<!-- warmup:puzzles -->", "", sample / "docs/practice/predict.md")
    assert "Add two numbers" not in shown
    assert "Take two away" in shown


def test_an_output_cannot_become_markup():
    shown = diff_block("print('<b>')\n", "print('<i>')\n")
    assert "&lt;b&gt;" in shown and "<b>" not in shown


def test_changes_far_apart_have_a_gap_between_them():
    old = "\n".join(f"x{i} = {i}" for i in range(9))
    shown = diff_block(old, old.replace("x0 = 0", "x0 = 1").replace("x8 = 8", "x8 = 9"))
    assert shown.count("…") == 1
    assert "x4" not in shown
