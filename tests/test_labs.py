"""Labs are executed again: what they claim, their last cell checks, and it runs today."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from warmup import pages
from warmup.problems import ROOT

LABS = sorted((pages.DOCS / "labs").glob("*.ipynb"))


def test_there_is_a_lab():
    assert LABS


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_lab_is_committed_executed_and_without_traces_of_its_machine(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not any("execution" in cell.metadata for cell in notebook.cells)
    assert str(ROOT) not in path.read_text(encoding="utf-8")
    assert any(output.output_type == "display_data" for cell in code for output in cell.outputs), "no plot"


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:jupyter_client", "ignore::ResourceWarning")
def test_lab_runs_again_and_its_own_checks_hold(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    before = [cell.source for cell in notebook.cells]
    NotebookClient(notebook, timeout=150, record_timing=False, kernel_name="python3",
                   resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [cell.source for cell in notebook.cells] == before
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert not (output.output_type == "stream" and output.name == "stderr"), output.text
