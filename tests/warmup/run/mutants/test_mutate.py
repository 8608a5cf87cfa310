"""The mutants are real changes, of what a claim should notice."""

from __future__ import annotations

import ast

import pytest

from warmup.run.mutants import mutate

SOURCE = '''"""A docstring."""
import math
import random


def area(radius: float) -> float:
    """Doc."""
    squared = radius * radius
    return math.pi * (squared + 0)


if __name__ == "__main__":
    random.seed(3)
    print(f"{area(1.0):.2f}")
'''
SUM, PRODUCT, QUOTIENT = (
    "return math.pi * (squared - 0)",
    "squared = radius / radius",
    "return math.pi / (squared + 0)",
)


def changes(text: str) -> set[tuple[str, str]]:
    return {(mutant.line, mutant.becomes) for mutant in mutate.mutate(text)}


def test_every_mutant_is_valid_python_and_differs_from_the_original():
    found = list(mutate.mutate(SOURCE))
    assert len(found) >= 8
    for mutant in found:
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(SOURCE)), mutant


def test_statements_operators_and_constants_are_changed():
    found = changes(SOURCE)
    assert ("squared = radius * radius", "pass") in found
    assert ("squared = radius * radius", PRODUCT) in found
    assert ("return math.pi * (squared + 0)", SUM) in found
    assert ("return math.pi * (squared + 0)", "return math.pi * (squared + 1)") in found
    assert not any("Doc" in line or "import" in line for line, _ in found)


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("a = b == c", "a = b != c"),
        ("a = b is None", "a = b is not None"),
        ("a = b and c", "a = b or c"),
        ("a = True", "a = False"),
        ("a += b", "a -= b"),
        ("a = (b) // (c)", "a = (b) * (c)"),
        ("a = b ** c", "a = b * c"),
    ],
)
def test_what_becomes_of_a_line(line, becomes):
    assert changes(line) == {(line, "pass"), (line, becomes)}


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("return 1.5", "return 3.25"),
        ("return x.sum(dim=0)", "return x.sum(dim=1)"),
        ("return x[0]", "return x[1]"),
        ("return nn.Dropout(p)(x) * 3", "return nn.Dropout(p)(x) * 4"),
        ("return x.randn(True)", "return x.randn(False)"),
        ("return nn.Embedding(5, 2, padding_idx=0)", "return nn.Embedding(5, 2, padding_idx=1)"),
    ],
)
def test_a_number_that_a_function_computes_with_is_changed(line, becomes):
    assert (line, becomes) in changes(f"def f(x, p=None):\n    {line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "generator = torch.Generator().manual_seed(0)",
        "rng = np.random.default_rng(7)",
        "split(x, random_state=0)",
        "x = torch.randn(4, 3, requires_grad=flag)",
        "x = torch.tensor([[0.5], [2.0]])",
        "layer = nn.Linear(3, 5)",
        "norm = nn.BatchNorm2d(num_features(3))",
        "sgd = SGD(parameters, lr=0.1)",
        "fit(x, steps=200)",
        "torch.allclose(x, y, atol=1e-5)",
    ],
)
def test_an_example_or_a_tolerance_in_a_function_is_no_mutant(line):
    assert changes(f"def f():\n    {line}\n") == {(line, "pass")}


@pytest.mark.parametrize("parameter", ["seed: int = 0", "*, lr: float = 0.1", "x, /, y, steps: int = 9, *, atol=0.1"])
def test_a_default_that_is_an_example_is_no_mutant(parameter):
    assert not changes(f"def f({parameter}): ...\n")


def test_other_defaults_are_changed():
    assert changes("def f(x=1, seed=0, *, y=2): ...\n") == {
        ("def f(x=1, seed=0, *, y=2): ...", f"def f(x={x}, seed=0, *, y={y}): ...") for x, y in ((2, 2), (1, 3))
    }


def test_a_number_of_a_demonstration_is_an_example_but_a_flag_is_none():
    line = "print(area(3, True))"
    assert changes(line) == {(line, "pass"), (line, "print(area(3, False))")}


@pytest.mark.parametrize(
    "line",
    [
        "torch.manual_seed(0)",
        "random.seed(3)",
        "np.random.seed(1)",
    ],
)
def test_a_statement_that_only_seeds_is_no_mutant(line):
    assert not changes(line)


def test_equal_changes_are_told_apart_by_their_place():
    found = list(mutate.mutate("a = b + 1\nb = 2\na = b + 1\n"))
    assert [(m.nth, m.number) for m in found if m.becomes == "a = b - 1"] == [(1, 1), (2, 3)]
    assert len({mutant.key for mutant in found}) == len(found)


def test_a_sample_is_the_same_every_time_and_keeps_its_order_when_a_snippet_is_added():
    found = [mutant for name in ("a.py", "b.py", "c.py") for mutant in mutate.mutate(SOURCE, name)]

    def sample(several, size, seed):
        return [m.key for m in mutate.sample(several, size, seed)]

    assert sample(found, 10, 0) == sample(list(reversed(found)), 10, 0) != sample(found, 10, 1)
    assert sample(found, 5, 0) == sample(found, 10, 0)[:5]
    without = [mutant for mutant in found if mutant.snippet != "b.py"]
    assert sample(without, 99, 0) == [entry for entry in sample(found, 99, 0) if entry[0] != "b.py"]
    moved = [mutant for name in ("a.py",) for mutant in mutate.mutate("\n\n" + SOURCE, name)]
    assert sample(moved, 99, 0) == [entry for entry in sample(found, 99, 0) if entry[0] == "a.py"]
