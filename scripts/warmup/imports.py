"""Which packages a snippet imports, and whether its header declares them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from warmup import header
from warmup.problems import Problem, relative

# torch brings NumPy along on every platform that it supports.
ALWAYS = {"torch", "numpy"}
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml"}


def check(path: Path) -> Iterator[Problem]:
    """Imports of ``path`` that its header does not declare."""
    text = path.read_text(encoding="utf-8")
    declared = {re.split(r"[<>=!~\[; ]", d)[0].lower() for d in header.parse(text, path).dependencies}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if top in sys.stdlib_module_names or top in ALWAYS:
                continue
            if DISTRIBUTIONS.get(top, top).lower() not in declared:
                yield Problem(relative(path), node.lineno, f"It imports {top}, which its header does not declare.",
                              f"Add {DISTRIBUTIONS.get(top, top)!r} to dependencies in its PEP 723 header.")
