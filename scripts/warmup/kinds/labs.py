"""Labs: notebooks that measure one claim, with what a run of them printed and drew.

A recorded lab carries two SHA-256 digests in its metadata, ``metadata.warmup``: one over its code cells and one over
their outputs. Checking them takes neither torch nor a run. So an output that somebody typed into, or that another
code printed, is found on every machine. The digests make that evident, not impossible: who computes a new digest
for a typed number has forged it. The tests therefore execute each lab again (`run/py`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat

from warmup.content import markdown
from warmup.kinds import markup
from warmup.project import DOCS, ROOT, Problem, ProblemError, relative

LABS = DOCS / "labs"
# The tag of a cell whose output is compared but for its digits, as that of a snippet with output = "recorded".
RECORDED = "recorded"


def find(names: list[str]) -> list[Path]:
    """The labs that ``names`` mean (``attention-cost``, or a path); all of them for an empty list.

    Raises:
        ProblemError: a name means no lab.
    """
    labs = sorted(LABS.glob("*.ipynb"))
    if not names:
        return labs
    found = []
    for name in names:
        paths = [path for path in labs if path.stem == Path(name).name.removesuffix(".ipynb")]
        if not paths:
            raise ProblemError(
                Problem(f"Q={name}", 0, "There is no such lab.", f"There are: {', '.join(path.stem for path in labs)}.")
            )
        found += paths
    return list(dict.fromkeys(found))


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook in a file.

    Raises:
        ProblemError: the file holds no notebook.
    """
    try:
        with warnings.catch_warnings():
            # nbformat would only warn of a cell without a name of its own, and make one up.
            warnings.simplefilter("error")
            notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
            nbformat.validate(notebook)
    except (ValueError, KeyError, AttributeError, TypeError, Warning, nbformat.ValidationError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ProblemError(
            Problem(relative(path), 0, f"It cannot be read as a notebook: {reason}.", "Open it in Jupyter and save it.")
        ) from error
    return notebook


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that are executed, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code_digest(notebook: nbformat.NotebookNode) -> str:
    """SHA-256 over the source of the code cells and their tags: a tag decides how an output is compared."""
    return _digest([[cell.source, cell.metadata.get("tags", [])] for cell in code_cells(notebook)])


def outputs_digest(notebook: nbformat.NotebookNode) -> str:
    """SHA-256 over all that the code cells printed and drew, in every format that is stored."""
    return _digest([cell.outputs for cell in code_cells(notebook)])


def digests(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """What a recorded lab carries as ``metadata.warmup``."""
    return {"code": code_digest(notebook), "outputs": outputs_digest(notebook)}


def texts(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a cell put out, in order, as (stream or MIME type, text)."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            found.append((output.name, output.text))
        elif output.output_type == "error":
            found.append(("error", "\n".join(output.traceback)))
        else:
            found += [
                (kind, data if isinstance(data, str) else json.dumps(data))
                for kind, data in sorted(output.data.items())
            ]
    return found


def name(cell: nbformat.NotebookNode) -> str:
    """How messages call a cell."""
    return f"cell {cell.get('id', '?')!r}"


def _digest(content: list) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


_SAYS_WHEN = re.compile(r"\d{4}-\d\d-\d\d.*\btorch \d+\.\d+")
# A word before the slash is the host of a link. "C:\\n" in code is an end of line.
_TRACE = re.compile(r"(?<!\w)/(?:home|Users|root|tmp|private|var/folders)/|\b[A-Za-z]:\\{1,2}(?=\w{2})")


def problems(path: Path) -> Iterator[Problem]:
    """What is wrong with a recorded lab, without running it."""
    try:
        notebook = read(path)
    except ProblemError as error:
        yield error.problem
        return
    again = f"Run make lab Q={path.stem}"
    cells = code_cells(notebook)
    digests = notebook.metadata.get("warmup")
    if not isinstance(digests, dict):
        yield Problem(relative(path), 0, "It has not been recorded.", f"{again}.")
    else:
        if digests.get("code") != code_digest(notebook):
            yield Problem(relative(path), 0, "Its code changed after its outputs were recorded.", f"{again}.")
        if digests.get("outputs") != outputs_digest(notebook):
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
    if not any(kind == "stdout" and _SAYS_WHEN.search(text) for cell in cells for kind, text in texts(cell)):
        yield Problem(
            relative(path),
            0,
            "It does not say when and with which torch it was recorded.",
            f'Print "recorded YYYY-MM-DD with torch ..." in a cell that is tagged {RECORDED}.',
        )
    if not cells or not _judges(cells[-1].source):
        yield Problem(
            relative(path),
            0,
            "Its last code cell asserts nothing.",
            "End with an assert that fails where the lab's conclusion does not hold.",
        )
    for cell in notebook.cells:
        # The site shows Markdown that a cell puts out as it shows prose.
        shown = [text for kind, text in texts(cell) if kind == "text/markdown"]
        for text in [cell.source] if cell.cell_type == "markdown" else shown:
            lines = markdown.lines(text)
            for number, message, fix in (*markup.folds(lines), *markup.scripts(lines)):
                yield Problem(relative(path), 0, f"{name(cell)}, line {number}: {message}", fix)
        if line := _trace(cell):
            yield Problem(
                relative(path),
                0,
                f"{name(cell)} names a folder of one machine: {line}",
                f"Keep paths out of it, then run make lab Q={path.stem}.",
            )


def _trace(cell: nbformat.NotebookNode) -> str:
    """The first part of a line of a cell, or of what it put out, that names a folder of one machine; "" without one."""
    here = re.compile(rf"{_TRACE.pattern}|{re.escape(str(ROOT))}\b")
    for text in (cell.source, *(text for kind, text in texts(cell) if not _is_binary(kind))):
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
