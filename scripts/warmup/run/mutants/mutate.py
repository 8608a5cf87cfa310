"""What a mutant is: a snippet with one statement dropped, one operator swapped or one constant changed.

What is no mutant, because another one must lead to the same conclusion:

- a seed, and the statement that sets one: a snippet is seeded by rule, also where its output does not depend on it;
- data: the sizes of a layer, and the sizes and values of a tensor that is made of nothing;
- how fast and how long a model trains;
- any other number of a demonstration, outside of functions and classes: it is an example, and its output is compared;
- a tolerance: the mutation widens it, and what was equal stays equal;
- a puzzle: that a line changes nothing is often its point, and nothing is claimed but its output.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from warmup.project import SNIPPETS

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.MatMult: "*",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.And: "or",
    ast.Or: "and",
    ast.Is: "is not",
    ast.IsNot: "is",
}
SEEDS = {"manual_seed", "seed", "default_rng", "Random"}
EXAMPLES = {"seed", "random_state", "atol", "rtol", "abs_tol", "rel_tol", "lr", "steps", "epochs", "size"}
TENSORS = {"tensor", "as_tensor", "ones", "zeros", "full", "empty", "rand", "randn", "randint", "randperm", "array"}
LAYERS = re.compile(
    r"(Linear|Conv\dd|ConvTranspose\dd|BatchNorm\dd|LayerNorm|GroupNorm|Embedding|RNN|GRU|LSTM"
    r"|MultiheadAttention|TransformerEncoderLayer)$"
)


@dataclass(frozen=True)
class Mutant:
    """A changed source.

    snippet: its path below ``snippets/``. line, becomes: the first line that changed, before and after, without its
    indentation. nth: 1, or 2 for the second place in the file with the same two lines, and so on.
    """

    snippet: str
    line: str
    becomes: str
    nth: int
    number: int = field(compare=False)
    text: str = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.snippet}:{self.number}: {self.line}  ->  {self.becomes}"

    @property
    def key(self) -> tuple[str, str, str, int]:
        """How a survivor is listed: by its text, so that it stays listed when its line moves."""
        return self.snippet, self.line, self.becomes, self.nth

    def rank(self, seed: int) -> str:
        """Where it stands in a random order that stays the same for all others when a snippet changes."""
        key = "\n".join((str(seed), self.snippet, self.line, self.becomes, str(self.nth)))
        return hashlib.sha256(key.encode()).hexdigest()


def mutate(text: str, snippet: str = "") -> Iterator[Mutant]:
    """All mutants of a snippet: dropped statements, swapped operators, changed numbers and flags."""
    raw, before = text.encode(), text.split("\n")
    seen: Counter[tuple[str, str]] = Counter()
    for begin, end, new in _changes(text):
        changed = (raw[:begin] + new.encode() + raw[end:]).decode()
        after = changed.split("\n")
        number = next(i for i, (old, now) in enumerate(zip(before, after, strict=False)) if old != now)
        lines = before[number].strip(), after[number].strip()
        seen[lines] += 1
        yield Mutant(snippet, *lines, seen[lines], number + 1, changed)


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """What to replace by what, as bytes: begin, end, new text."""
    tree, raw, starts = ast.parse(text), text.encode(), [0]
    for line in raw.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def span(node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno and node.end_col_offset is not None  # ast.parse sets them
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def operator(left: ast.expr, right: ast.expr, new: str) -> Iterator[tuple[int, int, str]]:
        # Between the operands stand the operator, blanks, and brackets of the operands, which stay.
        begin, end = span(left)[1], span(right)[0]
        old = raw[begin:end].decode()
        bare = old.replace(")", " ").replace("(", " ").strip()
        if bare and "\n" not in old:
            yield begin, end, old.replace(bare, new)

    examples = {inner for node in ast.walk(tree) for part in _examples(node) for inner in ast.walk(part)}
    for parent in ast.walk(tree):
        for _, body in ast.iter_fields(parent):
            for node in body if isinstance(body, list) else []:
                if isinstance(node, ast.stmt) and _can_drop(node):
                    yield *span(node), "pass"
        if isinstance(parent, ast.BinOp) and type(parent.op) in OPERATORS:
            yield from operator(parent.left, parent.right, OPERATORS[type(parent.op)])
        if isinstance(parent, ast.AugAssign) and type(parent.op) in OPERATORS:
            yield from operator(parent.target, parent.value, OPERATORS[type(parent.op)] + "=")
        if isinstance(parent, ast.Compare) and type(parent.ops[0]) in OPERATORS:
            yield from operator(parent.left, parent.comparators[0], OPERATORS[type(parent.ops[0])])
        if isinstance(parent, ast.BoolOp):
            yield from operator(parent.values[0], parent.values[1], OPERATORS[type(parent.op)])
        if isinstance(parent, ast.Constant) and not (parent in examples and type(parent.value) in (int, float)):
            match parent.value:
                case bool():
                    yield *span(parent), str(not parent.value)
                case int():
                    yield *span(parent), str(parent.value + 1)
                case float():
                    yield *span(parent), repr(parent.value * 2 + 0.25)


def _examples(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node whose numbers are an example."""
    if isinstance(node, ast.Module):
        yield from (part for part in node.body if not isinstance(part, ast.FunctionDef | ast.ClassDef))
    if isinstance(node, ast.keyword) and node.arg in EXAMPLES:
        yield node.value
    if isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        pairs = [
            *zip(positional[::-1], node.defaults[::-1], strict=False),
            *zip(node.kwonlyargs, node.kw_defaults, strict=True),
        ]
        yield from (default for argument, default in pairs if default and argument.arg in EXAMPLES)
    if isinstance(node, ast.Call) and (_name(node) in SEEDS | TENSORS or LAYERS.match(_name(node))):
        yield from node.args


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", "") or getattr(call.func, "id", "")


def _can_drop(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass):
        return False
    if isinstance(node, ast.Expr):  # no docstring, and nothing that only seeds
        return not isinstance(node.value, ast.Constant) and not (
            isinstance(node.value, ast.Call) and _name(node.value) in SEEDS
        )
    return True


def mutants_of(path: Path, snippets: Path = SNIPPETS) -> list[Mutant]:
    if not path.is_file():
        return []
    return list(mutate(path.read_text(encoding="utf-8"), path.relative_to(snippets).as_posix()))


def sample(mutants: Iterable[Mutant], size: int, seed: int) -> list[Mutant]:
    """Always the same ones; a snippet that comes or goes moves no other mutant."""
    return sorted(mutants, key=lambda mutant: mutant.rank(seed))[:size]
