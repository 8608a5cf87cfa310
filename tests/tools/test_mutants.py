"""The mutants are real changes, and a claim that cannot fail lets them live."""

from __future__ import annotations

import ast

import pytest

from warmup import mutants
from warmup.runner import Runner

SOURCE = '''"""A docstring."""
import math


def area(radius: float) -> float:
    """Doc."""
    squared = radius * radius
    return math.pi * (squared + 0)


if __name__ == "__main__":
    print(f"{area(1.0):.2f}")
'''


def test_every_mutant_is_valid_python_and_differs_from_the_original():
    found = list(mutants.mutate(SOURCE))
    assert len(found) >= 8
    for mutant in found:
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(SOURCE)), mutant.change


def test_statements_operators_and_constants_are_changed():
    changes = {mutant.change for mutant in mutants.mutate(SOURCE)}
    assert "dropped: squared = radius * radius" in changes
    assert "* became /" in changes
    assert "+ became -" in changes
    assert "0 became 1" in changes
    assert "1.0 became 2.25" in changes
    assert not any("docstring" in change.lower() or "import" in change for change in changes)


@pytest.mark.parametrize(("claim", "expected"), [
    ("assert area.area(3.0) == pytest.approx(28.274, abs=0.001)", {"+ became -"}),
    ("assert True", {"+ became -", "* became /"}),
])
def test_a_claim_that_cannot_fail_lets_mutants_live(tmp_path, claim, expected):
    folder = tmp_path / "snippets/junior/topic"
    folder.mkdir(parents=True)
    (folder / "area.py").write_text(SOURCE)
    (folder / "area.out").write_text("3.14\n")
    tests = tmp_path / "tests/snippets/junior"
    tests.mkdir(parents=True)
    (tests / "test_topic.py").write_text(
        "import os, sys, pytest\nsys.path.insert(0, os.environ['WARMUP_SNIPPETS'] + '/junior/topic')\nimport area\n"
        f"def test_it():\n    {claim}\n")
    with Runner() as runner:
        count, alive = mutants.survivors(folder / "area.py", runner, tmp_path / "snippets", tmp_path)
    assert {mutant.change for mutant in alive} == expected
    assert count > len(alive)
