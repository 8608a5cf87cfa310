"""Labs are executed again, and print what is recorded; what they claim, their last cell checks."""

from __future__ import annotations

import re

import nbformat
import pytest

from warmup.kinds import labs
from warmup.kinds.labs import problems
from warmup.run.labs import compare, execute

LABS = labs.find([])


def test_there_is_a_lab():
    assert LABS


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_lab_is_as_a_run_recorded_it(path):
    found = list(problems(path))
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_lab_draws_a_plot(path):
    assert any(
        output.output_type == "display_data" for cell in labs.code_cells(labs.read(path)) for output in cell.outputs
    )


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_digits_typed_into_any_output_are_a_problem(path, tmp_path):
    copy = tmp_path / path.name
    notebook = labs.read(path)
    typed = 0
    for cell in labs.code_cells(notebook):
        for output in cell.outputs:
            store = output if "text" in output else output.data
            for key in {"text", "text/plain", "image/svg+xml"} & set(store):
                recorded = store[key]
                store[key] = re.sub(r"\d", "9", recorded)
                copy.write_text(nbformat.writes(notebook), encoding="utf-8")
                expected = [] if store[key] == recorded else ["Its outputs are not those that a run recorded."]
                assert [problem.message for problem in problems(copy)] == expected
                typed += bool(expected)
                store[key] = recorded
    assert typed


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
@pytest.mark.timeout(1200)  # each cell has its own limit
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:jupyter_client", "ignore::ResourceWarning")
def test_lab_runs_again_and_its_own_checks_hold(path):
    notebook = labs.read(path)
    fresh = execute(notebook, path)
    assert not (difference := compare(notebook, fresh)), difference
