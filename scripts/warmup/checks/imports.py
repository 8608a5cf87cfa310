"""Which packages a snippet imports, and whether its header declares them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from warmup.content import header
from warmup.project import Problem, relative

# torch brings NumPy along on every platform that it supports.
ALWAYS = {"torch", "numpy"}
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml"}


def check(path: Path) -> Iterator[Problem]:
    """Imports of ``path`` that its header does not declare, or else why it is not Python."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        dependencies = header.parse(text, path).dependencies
    except SyntaxError as error:
        yield Problem(
            relative(path),
            error.lineno or 0,
            f"It is not Python: {error.msg}.",
            "Mend what stands there, or before it.",
        )
        return
    except (UnicodeDecodeError, header.HeaderError):
        return  # reported by pages.check_site
    except ValueError as error:  # what older Pythons raise for a null byte
        yield Problem(relative(path), 0, f"It is not Python: {error}.", "Mend or delete it.")
        return
    declared = {re.split(r"[<>=!~\[; ]", d)[0].lower() for d in dependencies}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if top in sys.stdlib_module_names or top in ALWAYS:
                continue
            if DISTRIBUTIONS.get(top, top).lower() not in declared:
                yield Problem(
                    relative(path),
                    node.lineno,
                    f"It imports {top}, which its header does not declare.",
                    f"Add {DISTRIBUTIONS.get(top, top)!r} to dependencies in its PEP 723 header.",
                )
