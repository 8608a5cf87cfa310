"""Which claims use a snippet, and so could notice that it is broken."""

from __future__ import annotations

import ast
import re
from collections import ChainMap, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeGuard

from warmup.project import ROOT


def claims(snippet: str, root: Path = ROOT) -> list[str]:
    """The tests that use a snippet, as pytest names them: those that reach its path through names of their module.

    A test reaches what its decorators, arguments (fixtures) and body name, in its class and its module, and what
    those name in turn.
    """
    stem = Path(snippet).stem
    path = re.compile(rf"{re.escape(snippet)}|(?:from|import) {stem}\b")
    found = []
    for module in sorted((root / "tests" / "snippets").rglob("test_*.py")):
        text = module.read_text(encoding="utf-8")
        if not path.search(text):
            continue
        tree = ast.parse(text)
        outer, name = _bindings(tree.body), module.relative_to(root).as_posix()
        for node in tree.body:
            if _is_test(node) and _reaches([node], outer, path):
                found.append(f"{name}::{node.name}")
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                inner = ChainMap(_bindings(node.body), outer)
                always = [*node.decorator_list, *node.bases, *(part for part in node.body if _is_autouse(part))]
                found += [
                    f"{name}::{node.name}::{test.name}"
                    for test in node.body
                    if _is_test(test) and _reaches([test, *always], inner, path)
                ]
    return found


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def _is_autouse(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any("autouse" in ast.dump(mark) for mark in node.decorator_list)


def _bindings(body: list[ast.stmt]) -> dict[str, list[ast.AST]]:
    """Which statements give each name its value."""
    found: defaultdict[str, list[ast.AST]] = defaultdict(list)
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name].append(statement)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id].append(statement)
    return dict(found)  # a ChainMap would take the empty list of a defaultdict for an answer


def _reaches(start: Iterable[ast.AST], scope: Mapping[str, list[ast.AST]], path: re.Pattern[str]) -> bool:
    """Whether statements name the path, themselves or in what gives a value to a name that they use."""
    waiting, seen = list(start), set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            match node:
                case ast.Constant(value=str() as name):
                    if path.search(name):
                        return True
                case ast.Name(id=name) | ast.arg(arg=name):
                    pass
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                    pass
                case _:
                    continue
            if name in scope and name not in seen:
                seen.add(name)
                waiting += scope[name]
    return False
