"""What is wrong with a snippet, its header and its imports, and which snippets and outputs no page shows."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from warmup.content import header, one_file, outputs, sources
from warmup.kinds.levels import Site
from warmup.project import Problem, not_utf8, relative

DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "yaml": "pyyaml"}


LONGEST = 145  # lines of 84 columns: a file to take away, with all that it needs, and what shows it


def problems(path: Path, program: bool) -> Iterator[Problem]:
    """Every problem of one snippet; a ``program`` is run and recorded, others are a judge's and what it judges."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        yield not_utf8(path, error)
        return
    try:
        head = header.parse(text, path)
    except header.HeaderError as error:
        message = f"{error.message[:1].upper()}{error.message[1:]}."
        yield Problem(relative(path), error.line, message, f"{error.fix}.")
        head = None
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        fix = "Fix what is there, or before it."
        yield Problem(relative(path), error.lineno or 0, f"It is not Python: {error.msg}.", fix)
        return
    except ValueError as error:  # what older Pythons raise for a null byte
        yield Problem(relative(path), 0, f"It is not Python: {error}.", "Mend or delete it.")
        return
    if head:
        yield from _imports(path, text, tree, head.packages)
        for message, fix in faults(path, text, tree, head) if program else ():
            yield Problem(relative(path), 0, message, fix)


def orphans(site: Site, snippets: Path) -> Iterator[Problem]:
    """Snippets and outputs below ``snippets`` that no page shows or needs."""
    shown = {include.path for page in (*site.questions, *site.drills) for include in page.includes}
    shown = shown.union(*(puzzle.files for puzzle in site.puzzles))
    shown = shown.union(*(page.programs(snippets) for page in site.drills))
    shown |= {outputs.WATCHING, *(page.shared_by_all for page in site.drills)}
    # Nothing is printed by what draws a trainer's curves.
    shown |= {f"{page.id}/{name}.out" for page in site.trainers for name in ("symptom", "curves")}
    for path in sorted(snippets.rglob("*.py")):
        if path.relative_to(snippets).as_posix() not in shown:
            yield Problem(
                relative(path), 0, "No page shows this snippet.", "Include it where it belongs, or delete it."
            )
    for path in sorted(snippets.rglob("*.svg")):
        if not sources.exists(path.with_suffix(".py")):
            yield Problem(relative(path), 0, "This plot has no snippet beside it.", "Delete it.")
        elif path.relative_to(snippets).as_posix() not in shown:
            yield Problem(relative(path), 0, "No page shows this plot.", "Include it near its snippet.")
    for path in sorted(snippets.rglob("*.out")):
        snippet = outputs.snippet_of(path)
        if not sources.exists(snippet):
            yield Problem(relative(path), 0, "This output has no snippet beside it.", "Delete it.")
        elif outputs.output_file(snippet).relative_to(snippets).as_posix() not in shown:
            yield Problem(relative(path), 0, "No page shows this output.", "Include it below its snippet.")


def faults(path: Path, text: str, tree: ast.Module, head: header.Header) -> Iterator[tuple[str, str]]:
    """Why a program is not one idea that says what its functions take, each with the remedy."""
    inside = head.end + 1 - head.start if head.end else 0
    count = sum(1 for line in text.split("\n") if line.strip()) - inside
    if count > LONGEST:
        yield f"It has {count} lines below its header; at most {LONGEST}.", "Split it: a snippet has one idea."
    if "TODO" in text:
        yield "The snippet still says TODO.", "Do it, or take the line out."
    definitions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if (
        definitions
        and 'if __name__ == "__main__":' in text
        and not path.stem.endswith("_broken")
        and path.stem != "broken"  # of a trainer, whose page says what it does
        and not any(ast.get_docstring(node) for node in definitions)
    ):
        yield "None of its functions says what it takes and returns.", "Write a docstring: shapes, dtypes, errors."


def _imports(path: Path, text: str, tree: ast.Module, packages: Sequence[str]) -> Iterator[Problem]:
    """Imports that its header does not declare."""
    beside = one_file.shared(path) if one_file.PATH_LINE in text else None
    known = {*sys.stdlib_module_names, "torch", *([beside.stem] if beside else ())}
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module]
        else:
            continue
        for module in modules:
            top = module.split(".")[0]
            if top not in known and DISTRIBUTIONS.get(top, top).lower().replace("_", "-") not in packages:
                yield Problem(
                    relative(path),
                    node.lineno,
                    f"It imports {top}, which its header does not declare.",
                    f"Add {DISTRIBUTIONS.get(top, top)!r} to dependencies in its PEP 723 header.",
                )


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All statements, nested ones too. An expression holds none, and most of a tree are expressions."""
    for node in nodes:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, name, ()))
