"""What is wrong with a snippet, its header and its imports, and which snippets and outputs no page shows."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from warmup.content import header, one_file, outputs
from warmup.content.levels import Site
from warmup.project import Problem, not_utf8, relative

# torch brings NumPy along on every platform that it supports.
ALWAYS = {"torch", "numpy"}
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml"}


def problems(path: Path) -> Iterator[Problem]:
    """Every problem of one snippet."""
    yield from _header(path)
    yield from _imports(path)


def orphans(site: Site, snippets: Path) -> Iterator[Problem]:
    """Snippets and outputs below ``snippets`` that no page shows or needs."""
    shown = {include.path for page in (*site.questions, *site.coding) for include in page.includes}
    shown = shown.union(*(puzzle.files for puzzle in site.puzzles))
    shown = shown.union(*(page.programs(snippets) for page in site.coding))
    of_all = {page.shared_by_all for page in site.coding}
    below = filter(None, (one_file.shared(snippets / name) for name in of_all))
    shown |= of_all | {path.relative_to(snippets).as_posix() for path in below}
    # Nothing is printed by what draws a trainer's curves.
    shown |= {f"{page.id}/{name}.out" for page in site.trainers for name in ("symptom", "curves")}
    for path in sorted(snippets.rglob("*.py")):
        if path.relative_to(snippets).as_posix() not in shown:
            yield Problem(
                relative(path), 0, "No page shows this snippet.", "Include it where it belongs, or delete it."
            )
    for path in sorted(snippets.rglob("*.svg")):
        if not path.with_suffix(".py").exists():
            yield Problem(relative(path), 0, "This plot has no snippet beside it.", "Delete it.")
        elif path.relative_to(snippets).as_posix() not in shown:
            yield Problem(relative(path), 0, "No page shows this plot.", "Include it near its snippet.")
    for path in sorted(snippets.rglob("*.out")):
        snippet = outputs.snippet_of(path)
        if not snippet.exists():
            yield Problem(relative(path), 0, "This output has no snippet beside it.", "Delete it.")
        elif outputs.output_file(snippet).relative_to(snippets).as_posix() not in shown:
            yield Problem(relative(path), 0, "No page shows this output.", "Include it below its snippet.")


def _header(path: Path) -> Iterator[Problem]:
    try:
        header.parse(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        yield not_utf8(path, error)
    except header.HeaderError as error:
        message = f"{error.message[:1].upper()}{error.message[1:]}."
        yield Problem(relative(path), error.line, message, f"{error.fix}.")


def _imports(path: Path) -> Iterator[Problem]:
    """Imports that its header does not declare, or else why it is not Python."""
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
        return  # reported by _header
    except ValueError as error:  # what older Pythons raise for a null byte
        yield Problem(relative(path), 0, f"It is not Python: {error}.", "Mend or delete it.")
        return
    beside = one_file.shared(path) if one_file.PATH_LINE in text else None
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
            if top in sys.stdlib_module_names or top in ALWAYS or (beside and top == beside.stem):
                continue
            if DISTRIBUTIONS.get(top, top).lower() not in declared:
                yield Problem(
                    relative(path),
                    node.lineno,
                    f"It imports {top}, which its header does not declare.",
                    f"Add {DISTRIBUTIONS.get(top, top)!r} to dependencies in its PEP 723 header.",
                )
