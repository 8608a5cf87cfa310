"""What is wrong with a recorded lab, as far as no run is needed to see it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from warmup.checks import markup
from warmup.content import labs, markdown
from warmup.project import ROOT, Problem, ProblemError, relative

_SAYS_WHEN = re.compile(r"\d{4}-\d\d-\d\d.*\btorch \d+\.\d+")
# A word before the slash is the host of a link. "C:\\n" in code is an end of line.
_TRACE = re.compile(r"(?<!\w)/(?:home|Users|root|tmp|private|var/folders)/|\b[A-Za-z]:\\{1,2}(?=\w{2})")


def problems(path: Path) -> Iterator[Problem]:
    """What is wrong with a recorded lab, without running it."""
    try:
        notebook = labs.read(path)
    except ProblemError as error:
        yield error.problem
        return
    again = f"Run make lab Q={path.stem}"
    cells = labs.code_cells(notebook)
    digests = notebook.metadata.get("warmup")
    if not isinstance(digests, dict):
        yield Problem(relative(path), 0, "It has not been recorded.", f"{again}.")
    else:
        if digests.get("code") != labs.code_digest(notebook):
            yield Problem(relative(path), 0, "Its code changed after its outputs were recorded.", f"{again}.")
        if digests.get("outputs") != labs.outputs_digest(notebook):
            yield Problem(
                relative(path),
                0,
                "Its outputs are not those that a run recorded.",
                f"{again}; nobody types into an output.",
            )
    if [cell.execution_count for cell in cells] != list(range(1, len(cells) + 1)):
        yield Problem(relative(path), 0, "Its cells were not executed once each, from top to bottom.", f"{again}.")
    if any(set(cell.metadata) - {"tags"} for cell in notebook.cells):
        yield Problem(relative(path), 0, "Its cells carry metadata that no lab needs.", f"{again}.")
    if not any(kind == "stdout" and _SAYS_WHEN.search(text) for cell in cells for kind, text in labs.texts(cell)):
        yield Problem(
            relative(path),
            0,
            "It does not say when and with which torch it was recorded.",
            f'Print "recorded YYYY-MM-DD with torch ..." in a cell that is tagged {labs.RECORDED}.',
        )
    if not cells or not _judges(cells[-1].source):
        yield Problem(
            relative(path),
            0,
            "Its last code cell asserts nothing.",
            "End with an assert that fails where the lab's conclusion does not hold.",
        )
    for cell in notebook.cells:
        lines = markdown.lines(cell.source) if cell.cell_type == "markdown" else []
        for number, message, fix in (*markup.folds(lines), *markup.scripts(lines)):
            yield Problem(relative(path), 0, f"{labs.name(cell)}, line {number}: {message}", fix)
        if line := _trace(cell):
            yield Problem(
                relative(path),
                0,
                f"{labs.name(cell)} names a folder of one machine: {line}",
                f"Keep paths out of it, then run make lab Q={path.stem}.",
            )


def _trace(cell: nbformat.NotebookNode) -> str:
    """The first part of a line of a cell, or of what it put out, that names a folder of one machine; "" without one."""
    here = re.compile(rf"{_TRACE.pattern}|{re.escape(str(ROOT))}\b")
    for text in (cell.source, *(text for kind, text in labs.texts(cell) if not _is_binary(kind))):
        for line in text.splitlines():
            if match := here.search(line):
                return line[max(0, match.start() - 20) : match.end() + 60].strip()
    return ""


def _is_binary(kind: str) -> bool:
    """Whether data of this MIME type is stored in base64, which can spell anything."""
    return kind == "application/pdf" or kind.startswith("image/") and kind != "image/svg+xml"


def _judges(source: str) -> bool:
    """Whether code asserts something that its run decides."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return False
    return any(
        isinstance(node, ast.Assert) and any(isinstance(part, ast.Name) for part in ast.walk(node.test))
        for node in nodes
    )
