"""Who tests the tests: break a snippet on purpose and see whether anything notices.

A mutant is a snippet with one statement dropped, one operator swapped or one constant changed. It is killed if
its output no longer matches the recorded one, or if a claim of its topic fails. One that survives shows a line
that neither the page's output nor a claim depends on; a few change nothing that anyone could see.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warmup import pages, record
from warmup.problems import ROOT, relative
from warmup.runner import Runner

OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.MatMult: "*", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and", ast.Is: "is not", ast.IsNot: "is",
}


@dataclass(frozen=True)
class Mutant:
    """A changed source, the line that changed and how."""

    text: str
    line: int
    change: str


def mutate(text: str) -> Iterator[Mutant]:
    """All mutants of a snippet: dropped statements, swapped operators, changed numbers and flags."""
    tree = ast.parse(text)
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    raw = text.encode()

    def span(node: ast.AST) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def replaced(begin: int, end: int, new: str) -> str:
        return (raw[:begin] + new.encode() + raw[end:]).decode()

    for parent in ast.walk(tree):
        for _, body in ast.iter_fields(parent):
            if isinstance(body, list):
                for node in body:
                    if isinstance(node, ast.stmt) and _can_drop(node):
                        first = (ast.get_source_segment(text, node) or "").split("\n")[0]
                        yield Mutant(replaced(*span(node), "pass"), node.lineno, f"dropped: {first}")
        if isinstance(parent, ast.BinOp | ast.AugAssign) and type(parent.op) in OPERATORS:
            new = OPERATORS[type(parent.op)]
            left = parent.left if isinstance(parent, ast.BinOp) else parent.target
            right = parent.right if isinstance(parent, ast.BinOp) else parent.value
            sign = f" {new}= " if isinstance(parent, ast.AugAssign) else f" {new} "
            yield from _between(text, raw, span(left)[1], span(right)[0], sign, parent.lineno)
        if isinstance(parent, ast.Compare) and type(parent.ops[0]) in OPERATORS:
            new = OPERATORS[type(parent.ops[0])]
            yield from _between(
                text, raw, span(parent.left)[1], span(parent.comparators[0])[0], f" {new} ", parent.lineno)
        if isinstance(parent, ast.Constant) and not isinstance(parent.value, str | bytes | None):
            value = parent.value
            new = str(not value) if isinstance(value, bool) else str(value + 1) if isinstance(value, int) else None
            if isinstance(value, float):
                new = repr(value * 2 + 0.25)
            if new:
                yield Mutant(replaced(*span(parent), new), parent.lineno, f"{value} became {new}")


def _can_drop(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass):
        return False
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))  # a docstring


def _between(text: str, raw: bytes, begin: int, end: int, new: str, line: int) -> Iterator[Mutant]:
    """Swap the operator between two operands; brackets around an operand are left alone."""
    old = raw[begin:end].decode()
    bare = old.replace(")", " ").replace("(", " ").strip()
    if bare and "\n" not in old:
        swapped = old.replace(bare, new.strip())
        yield Mutant((raw[:begin] + swapped.encode() + raw[end:]).decode(), line, f"{bare} became {new.strip()}")


def survivors(path: Path, runner: Runner, snippets: Path = pages.SNIPPETS, root: Path = ROOT,
              ) -> tuple[int, list[Mutant]]:
    """How many mutants a snippet has, and those that neither its output nor its topic's claims notice."""
    mutants = list(mutate(path.read_text(encoding="utf-8")))
    name = path.relative_to(snippets)
    unnoticed = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder, "snippets")
        shutil.copytree(snippets, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for mutant in mutants:
            (copy / name).write_text(mutant.text, encoding="utf-8")
            result = runner.run(copy / name)
            if result.status == "ok" and not record.compare(copy / name, result) and not _claims_fail(name, copy, root):
                unnoticed.append(mutant)
    return len(mutants), unnoticed


def _claims_fail(name: Path, snippets: Path, root: Path) -> bool:
    level, topic = name.parts[:2]
    module = root / "tests" / "snippets" / level / f"test_{topic.replace('-', '_')}.py"
    if not module.exists():
        return False
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(module)],
        cwd=root, env={**os.environ, "WARMUP_SNIPPETS": str(snippets)}, capture_output=True, check=False)
    return done.returncode != 0


def main(paths: list[Path]) -> int:
    """Print each snippet's score and its survivors."""
    total = alive = 0
    with Runner() as runner:
        for path in paths:
            if runner.run(path).status == "skipped":
                print(f"   skipped  {relative(path)}")
                continue
            count, unnoticed = survivors(path, runner)
            total, alive = total + count, alive + len(unnoticed)
            print(f"{count - len(unnoticed):4} of {count:3}  {relative(path)}", flush=True)
            for mutant in unnoticed:
                print(f"             line {mutant.line}: {mutant.change}")
    print(f"{total - alive} of {total} mutants noticed")
    return 0
