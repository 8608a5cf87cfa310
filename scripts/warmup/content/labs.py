"""Labs: notebooks that measure one claim, with what a run of them printed and drew.

A recorded lab carries two SHA-256 digests in its metadata, ``metadata.warmup``: one over its code cells and one over
their outputs. Checking them takes neither torch nor a run. So an output that somebody typed into, or that another
code printed, is found on every machine. The digests make that evident, not impossible: who computes a new digest
for a typed number has forged it. The tests therefore execute each lab again (`run/labs.py`).
"""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path

import nbformat

from warmup.project import DOCS, Problem, ProblemError, relative

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
