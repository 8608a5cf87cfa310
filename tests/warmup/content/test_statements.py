"""Statements as a program prints them: read with level and truth, refused where a line is none."""

from __future__ import annotations

import pytest

from warmup import checks
from warmup.content import markdown, statements
from warmup.exports.plain_markdown import Writer
from warmup.kinds import levels
from warmup.site.expand import Renderer


def test_a_statement_has_its_level_and_what_is_true():
    assert statements.read("junior  n   f() does y\nsenior  y   1 < 2\n") == [
        ("junior", False, "f() does y"),
        ("senior", True, "1 < 2"),
    ]


@pytest.mark.parametrize("line", ["junior  maybe  x", "boss  y  x", "junior  y", "tensor([1])"])
def test_another_line_is_refused(line):
    with pytest.raises(ValueError, match="no statement"):
        statements.read(f"junior  n   x\n{line}")


def test_an_output_without_statements_is_a_problem_and_a_label_too_long_too(sample):
    page = sample / "docs/junior/autograd/thing.md"
    text = (
        page.read_text().replace("```output\n", "```statements\n", 1).replace("kind:", f"label: {'a' * 27}\nkind:", 1)
    )
    page.write_text(text)
    found = [str(one) for one in checks.problems(levels.load(sample / "docs"), sample / "snippets")]
    assert any("The statements cannot be read" in one for one in found)
    assert any("The label has 27 characters. At most 26" in one for one in found)


def test_a_plain_copy_lists_the_statements_without_the_answers(sample):
    writer = Writer(Renderer(levels.load(sample / "docs"), sample), "junior/autograd/thing.md", str)
    said = sample / "snippets/junior/autograd/said.out"
    said.write_text("junior  n   f() does y\nmid  y   g()\n", encoding="utf-8")
    rows = markdown.lines('```statements\n--8<-- "junior/autograd/said.out"\n```')
    assert writer.plain(rows) == "1. Junior: f() does y\n2. Mid: g()"
