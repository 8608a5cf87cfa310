"""Labs: executes notebooks, records what they print and draw, and notices when a record was touched.

A recorded lab carries two SHA-256 digests in its metadata, ``metadata.warmup``: one over its code cells and one over
their outputs. Checking them takes neither torch nor a run. So an output that somebody typed into, or that another
code printed, is found on every machine. The digests make that evident, not impossible: who computes a new digest
for a typed number has forged it. The tests therefore execute each lab again and compare:

- What a cell prints is compared exactly. It must be exact on every processor by construction: integers, shapes,
  booleans, byte counts.
- In a cell tagged ``measured`` all but the digits is compared.
- A plot in SVG is compared with its coordinates within ``TOLERANCE``. In a measured cell, and in another format, no
  fresh plot can equal the recorded one: only its presence is compared, and its digest keeps it as it was recorded.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat

from warmup.project import DOCS, ROOT, Problem, ProblemError, relative
from warmup.run.emulation import MACHINES

LABS = DOCS / "labs"
MEASURED = "measured"
# Points of an SVG: a hundredth of what one sees.
TOLERANCE = 0.01
SECONDS_A_CELL = 300
# The plainest kernels that torch, MKL and oneDNN have, and another number of threads: what is exact survives it.
OTHER_PROCESSOR = MACHINES[-2].environment

_RECORDED = re.compile(r"\d{4}-\d\d-\d\d.*\btorch \d+\.\d+")
# Padding and the label of a build ("2.13.0+cpu") belong to the number.
_NUMBER = re.compile(r" *-?\d+(?:\.\d*)*(?:[eE][+-]?\d+)?(?:\+\w+)? *")
# A word before the slash is the host of a link. "C:\\n" in code is an end of line.
_TRACE = re.compile(r"(?<!\w)/(?:home|Users|root|tmp|private|var/folders)/|\b[A-Za-z]:\\{1,2}(?=\w{2})")
_TAG = re.compile(r"<[^>]*>")
# A color such as #0072B2 is no number, nor is "10px".
_COORDINATE = re.compile(r"(?<![#\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


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


def record(path: Path, *, force: bool = False) -> bool:
    """Execute a lab and write what it printed and drew, with digests; returns whether the file changed.

    A lab without problems whose fresh outputs agree with the recorded ones stays as it is, unless ``force``: the
    digits of a measurement are new in every run.

    Raises:
        ProblemError: the file is no notebook, its execution fails, or an emulated other processor prints something
            else outside of measured cells. The file then stays as it is.
    """
    notebook = read(path)
    fresh = execute(notebook, path)
    if not force and not list(check(path)) and not compare(notebook, fresh):
        return False
    if difference := compare(fresh, execute(notebook, path, OTHER_PROCESSOR)):
        raise ProblemError(
            Problem(
                relative(path),
                0,
                f"Another processor gives something else:\n{difference}\n",
                "Print fewer digits or the conclusion, or tag the cell measured.",
            )
        )
    fresh.metadata["warmup"] = {"code": code_digest(fresh), "outputs": outputs_digest(fresh)}
    new = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        new.write_text(nbformat.writes(fresh) + "\n", encoding="utf-8", newline="\n")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
    return True


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


def execute(
    notebook: nbformat.NotebookNode,
    path: Path,
    environment: dict[str, str] | None = None,
) -> nbformat.NotebookNode:
    """A copy of ``notebook``, executed in a new kernel, an empty folder and one thread, without records of times.

    Args:
        path: where it comes from, for messages.
        environment: variables of the kernel on top of this process's.

    Raises:
        ProblemError: a cell fails, writes to stderr, or takes too long.
    """
    # Its first import on a machine draws up a list of fonts and says so on stderr: not in the lab.
    import matplotlib.font_manager  # noqa: F401
    from nbclient import NotebookClient, exceptions

    fresh = nbformat.from_dict(json.loads(json.dumps(notebook)))
    for cell in fresh.cells:
        cell.metadata = {"tags": cell.metadata["tags"]} if cell.metadata.get("tags") else {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            fresh,
            timeout=SECONDS_A_CELL,
            record_timing=False,
            coalesce_streams=True,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            # On a busy machine a kernel starts slowly, and what a cell printed arrives late.
            startup_timeout=120,
            iopub_timeout=60,
            resources={"metadata": {"path": folder}},
        )
        # The profile of who executes it could change what a cell does.
        variables = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "IPYTHONDIR": f"{folder}/.ipython",
            **(environment or {}),
        }
        try:
            client.execute(env=variables)
        except exceptions.CellExecutionError as error:
            raise ProblemError(
                Problem(
                    relative(path), 0, f"A cell raised {error.ename}: {error.evalue}", f"Its code:\n{_failed(fresh)}"
                )
            ) from error
        except (exceptions.CellTimeoutError, exceptions.DeadKernelError) as error:
            raise ProblemError(
                Problem(
                    relative(path),
                    0,
                    f"Its execution ended early: {error}",
                    f"A cell may take {SECONDS_A_CELL} seconds.",
                )
            ) from error
    for cell in code_cells(fresh):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise ProblemError(
                    Problem(
                        relative(path),
                        0,
                        f"{_name(cell)} writes to stderr: {output.text.strip()}",
                        "Mend what it warns of.",
                    )
                )
    fresh.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.from_dict(fresh)


def check_all() -> list[Problem]:
    """Every problem of every lab, without running one."""
    return [problem for path in find([]) for problem in check(path)]


def check(path: Path) -> Iterator[Problem]:
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
    if not any(kind == "stdout" and _RECORDED.search(text) for cell in cells for kind, text in _texts(cell)):
        yield Problem(
            relative(path),
            0,
            "It does not say when and with which torch it was recorded.",
            'Print "recorded YYYY-MM-DD with torch ..." in a cell that is tagged measured.',
        )
    if not cells or not _judges(cells[-1].source):
        yield Problem(
            relative(path),
            0,
            "Its last code cell asserts nothing.",
            "End with an assert that fails where the lab's conclusion does not hold.",
        )
    for cell in notebook.cells:
        if line := _trace(cell):
            yield Problem(
                relative(path),
                0,
                f"{_name(cell)} names a folder of one machine: {line}",
                f"Keep paths out of it, then run make lab Q={path.stem}.",
            )


def compare(recorded: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> str:
    """ "" if the outputs of two executions agree, as the module's docstring says; else the differences."""
    differences = []
    for old_cell, new_cell in zip(code_cells(recorded), code_cells(fresh), strict=True):
        measured = MEASURED in old_cell.metadata.get("tags", [])
        old, new = _texts(old_cell), _texts(new_cell)
        name = _name(old_cell)
        if [kind for kind, _ in old] != [kind for kind, _ in new]:
            differences.append(f"{name} recorded {[kind for kind, _ in old]}, this run {[kind for kind, _ in new]}")
            continue
        for (kind, before), (_, now) in zip(old, new, strict=True):
            if kind.startswith("image/"):
                if kind == "image/svg+xml" and not measured and not _same_drawing(before, now):
                    differences.append(f"{name}: this run draws another plot")
                continue
            if measured:
                before, now = _NUMBER.sub("#", before), _NUMBER.sub("#", now)
            differences += difflib.unified_diff(
                before.splitlines(), now.splitlines(), f"{name} (recorded)", f"{name} (this run)", lineterm=""
            )
    return "\n".join(differences)


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code_digest(notebook: nbformat.NotebookNode) -> str:
    """SHA-256 over the source of the code cells and their tags: a tag decides how an output is compared."""
    return _digest([[cell.source, cell.metadata.get("tags", [])] for cell in code_cells(notebook)])


def outputs_digest(notebook: nbformat.NotebookNode) -> str:
    """SHA-256 over all that the code cells printed and drew, in every format that is stored."""
    return _digest([cell.outputs for cell in code_cells(notebook)])


def _digest(content: list) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _texts(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a cell put out, in order, as (stream or MIME type, text)."""
    texts = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            texts.append((output.name, output.text))
        elif output.output_type == "error":
            texts.append(("error", "\n".join(output.traceback)))
        else:
            texts += [
                (kind, data if isinstance(data, str) else json.dumps(data))
                for kind, data in sorted(output.data.items())
            ]
    return texts


def _trace(cell: nbformat.NotebookNode) -> str:
    """The first part of a line of a cell, or of what it put out, that names a folder of one machine; "" without one."""
    here = re.compile(rf"{_TRACE.pattern}|{re.escape(str(ROOT))}\b")
    for text in (cell.source, *(text for kind, text in _texts(cell) if not _is_binary(kind))):
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


def _same_drawing(old: str, new: str) -> bool:
    """Whether two SVGs show the same: text exact, numbers in tags within TOLERANCE, names of parts ignored."""
    # Matplotlib names a part by the digest of its coordinates.
    old, new = (re.sub(r'(?<=\bid=")[^"]*|(?<=href="#)[^"]*|(?<=url\(#)[^)]*', "", svg) for svg in (old, new))
    return _TAG.split(old) == _TAG.split(new) and all(map(_close, _TAG.findall(old), _TAG.findall(new)))


def _close(old: str, new: str) -> bool:
    return _COORDINATE.sub("#", old) == _COORDINATE.sub("#", new) and all(
        abs(float(a) - float(b)) <= TOLERANCE
        for a, b in zip(_COORDINATE.findall(old), _COORDINATE.findall(new), strict=True)
    )


def _name(cell: nbformat.NotebookNode) -> str:
    return f"cell {cell.get('id', '?')!r}"


def _failed(notebook: nbformat.NotebookNode) -> str:
    """The code of the cell that raised."""
    return next(
        cell.source for cell in code_cells(notebook) if any(output.output_type == "error" for output in cell.outputs)
    )
