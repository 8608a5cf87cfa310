"""Executes labs, writes what they print and draw into them, and compares a fresh run with it.

- What a cell prints is compared exactly. It must be exact on every processor by construction: integers, shapes,
  booleans, byte counts.
- In a cell tagged ``recorded`` all but the digits is compared.
- A plot in SVG is compared with its coordinates within a tolerance. In a cell tagged ``recorded``, and in another
  format, no fresh plot can equal the recorded one: only its presence is compared, and its digest keeps it as it was
  recorded.
"""

from __future__ import annotations

import difflib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nbformat

from warmup.kinds import labs
from warmup.project import Problem, ProblemError, relative, replace_file
from warmup.run.comparison import same_drawing
from warmup.run.digits import masked
from warmup.run.emulation import MACHINES

SECONDS_A_CELL = 300
# The plainest kernels that torch, MKL and oneDNN have, and another number of threads: what is exact survives it.
OTHER_PROCESSOR = MACHINES[-2].environment


def record(path: Path, *, force: bool = False) -> bool:
    """Execute a lab and write what it printed and drew, with digests; returns whether the file changed.

    A lab whose fresh outputs agree with the recorded ones stays as it is, unless ``force``: the digits of a measurement
    are new in every run.

    Raises:
        ProblemError: the file is no notebook, its execution fails, or an emulated other processor prints something
            else outside of cells tagged recorded. The file then stays as it is.
    """
    notebook = labs.read(path)
    fresh = execute(notebook, path)
    if not force and not compare(notebook, fresh):
        return False
    if difference := compare(fresh, execute(notebook, path, OTHER_PROCESSOR)):
        raise ProblemError(
            Problem(
                relative(path),
                0,
                f"Another processor gives something else:\n{difference}\n",
                f"Print fewer digits or the conclusion, or tag the cell {labs.RECORDED}.",
            )
        )
    fresh.metadata["warmup"] = labs.digests(fresh)
    replace_file(path, nbformat.writes(fresh) + "\n")
    return True


def execute(
    notebook: nbformat.NotebookNode,
    path: Path,
    environment: Mapping[str, str] | None = None,
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
    for cell in labs.code_cells(fresh):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise ProblemError(
                    Problem(
                        relative(path),
                        0,
                        f"{labs.name(cell)} writes to stderr: {output.text.strip()}",
                        "Mend what it warns of.",
                    )
                )
    fresh.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.from_dict(fresh)


def compare(recorded: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> str:
    """ "" if the outputs of two executions agree, as the module's docstring says; else the differences."""
    differences = []
    for old_cell, new_cell in zip(labs.code_cells(recorded), labs.code_cells(fresh), strict=True):
        digits_vary = labs.RECORDED in old_cell.metadata.get("tags", [])
        old, new = labs.texts(old_cell), labs.texts(new_cell)
        name = labs.name(old_cell)
        if [kind for kind, _ in old] != [kind for kind, _ in new]:
            differences.append(f"{name} recorded {[kind for kind, _ in old]}, this run {[kind for kind, _ in new]}")
            continue
        for (kind, before), (_, now) in zip(old, new, strict=True):
            if kind.startswith("image/"):
                if kind == "image/svg+xml" and not digits_vary and not same_drawing(before, now):
                    differences.append(f"{name}: this run draws another plot")
                continue
            if digits_vary:
                before, now = masked(before), masked(now)
            differences += difflib.unified_diff(
                before.splitlines(), now.splitlines(), f"{name} (recorded)", f"{name} (this run)", lineterm=""
            )
    return "\n".join(differences)


def _failed(notebook: nbformat.NotebookNode) -> str:
    """The code of the cell that raised."""
    return next(
        cell.source
        for cell in labs.code_cells(notebook)
        if any(output.output_type == "error" for output in cell.outputs)
    )
