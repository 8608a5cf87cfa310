"""Snippets and outputs that cannot be used, or that no page shows."""

from __future__ import annotations

from warmup import checks
from warmup.content import levels


def problems(sample) -> list[str]:
    return [str(problem) for problem in checks.problems(levels.load(sample / "docs"), sample / "snippets")]


def test_a_snippet_that_is_not_text_is_a_problem(sample):
    (sample / "snippets/junior/autograd/thing.py").write_bytes(b"x = 1\nprint('\xff')\n")
    assert any("thing.py:2: It is not text in UTF-8." in problem for problem in problems(sample))


def test_snippet_that_nobody_shows(sample):
    (sample / "snippets/junior/autograd/orphan.py").write_text("print(2)\n")
    assert [p for p in problems(sample) if "orphan.py: No page shows this snippet." in p]


def test_output_that_nobody_shows_and_output_without_a_snippet(sample):
    (sample / "snippets/junior/autograd/left.out").write_text("2\n")
    assert [p for p in problems(sample) if "left.out: This output has no snippet beside it." in p]


def test_snippet_header_that_does_not_parse(sample):
    (sample / "snippets/junior/autograd/thing.py").write_text("# /// script\n# dependencies = [\n# ///\nprint(1)\n")
    found = problems(sample)
    assert any("snippets/junior/autograd/thing.py:" in p for p in found)
