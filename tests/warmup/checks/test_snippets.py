"""Snippets and outputs that cannot be used, or that no page shows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from warmup import checks
from warmup.checks.snippets import LONGEST, faults
from warmup.content import header
from warmup.kinds import levels


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


SPLIT = "at most 145. Split it: a snippet has one idea."
TODO = "The snippet still says TODO."
SILENT = "None of its functions says what it takes and returns."
HEADER = '# /// script\n# dependencies = ["torch"]\n# ///\n'
MAIN = 'if __name__ == "__main__":\n    f()\n'


@pytest.mark.parametrize(
    ("text", "stem", "expected"),
    [
        ("x = 1\n\n" * LONGEST, "a", ""),
        (HEADER + "x = 1\n" * LONGEST, "a", ""),
        (HEADER + "x = 1\n" * (LONGEST + 1), "a", SPLIT),
        ("x = 1\n" * (LONGEST + 1), "a", SPLIT),
        ("x = 1  # TODO\n", "a", TODO),
        (f"def f():\n    pass\n{MAIN}", "a", SILENT),
        (f"def f():\n    pass\n{MAIN}", "a_broken", ""),
        (f'def f():\n    """Says it."""\n{MAIN}', "a", ""),
        ("def f():\n    pass\nf()\n", "a", ""),
    ],
)
def test_what_is_wrong_with_a_snippet(text, stem, expected):
    found = [" ".join(one) for one in faults(Path(f"{stem}.py"), text, ast.parse(text), header.parse(text, "a.py"))]
    assert len(found) == bool(expected)
    assert all(expected in one for one in found)


def test_a_program_is_told_what_is_wrong_with_it_and_a_judge_is_not(sample):
    for name in ("junior/autograd/thing.py", "practice/write/add/solution.py"):
        path = sample / "snippets" / name
        path.write_text(path.read_text() + "# TODO\n")
    assert [one for one in problems(sample) if TODO in one] == [
        f"{sample}/snippets/junior/autograd/thing.py: {TODO} Do it, or take the line out."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "import os, sklearn.datasets\n",
        "from sklearn import datasets\n",
        "def f():\n    if f:\n        import sklearn\n",
        "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    import sklearn\n",
        "try:\n    pass\nexcept OSError:\n    import sklearn\n",
        "try:\n    pass\nfinally:\n    import sklearn\n",
        "match 1:\n    case 2:\n        import sklearn\n",
        "class A:\n    with open('a'):\n        import sklearn\n",
    ],
)
def test_an_import_is_found_wherever_it_stands(sample, text):
    path = sample / "snippets/junior/autograd/thing.py"
    path.write_text(text)
    [found] = [one for one in problems(sample) if "its header does not declare" in one]
    line = next(at for at, row in enumerate(text.split("\n"), 1) if "sklearn" in row)
    assert f"thing.py:{line}: It imports sklearn" in found
