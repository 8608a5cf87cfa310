"""Every kind of tampering with a recorded lab is found, without running it."""

from __future__ import annotations

import copy
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from warmup import __main__ as command
from warmup.kinds import labs
from warmup.kinds.labs import problems
from warmup.project import ROOT

NOT_RECORDED = "Its outputs are not those that a run recorded."
CODE_CHANGED = "Its code changed after its outputs were recorded."
NOT_IN_ORDER = "Its cells were not executed once each, from top to bottom."
EDITOR = "Its cells carry metadata that no lab needs."
NO_TORCH = "It does not say when and with which torch it was recorded."
NO_ASSERT = "Its last code cell asserts nothing."


def printed(text: str) -> nbformat.NotebookNode:
    return new_output("stream", name="stdout", text=text)


def drawn(**data: str) -> nbformat.NotebookNode:
    return new_output("display_data", data=data)


@pytest.fixture
def unrecorded():
    cells = [
        new_markdown_cell("# A lab", id="title"),
        new_code_cell("print_versions()", id="c0", metadata={"tags": ["recorded"]}),
        new_code_cell("squares = [n * n for n in range(4)]\nprint(squares)\nsquares[-1]", id="c1"),
    ]
    return new_notebook(cells=cells)


@pytest.fixture
def notebook(unrecorded):
    """A lab as recording leaves it."""
    recorded = copy.deepcopy(unrecorded)
    recorded.cells += [
        new_code_cell("measure()", id="c2", metadata={"tags": ["recorded"]}),
        new_code_cell("draw()", id="c3"),
        new_code_cell("assert squares[-1] == 9", id="c4"),
    ]
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><path id="p1" d="M 1.5 20"/><text>12</text></svg>'
    outputs = [
        [printed("recorded 2026-11-22 with torch 2.13.0+cpu\n")],
        [printed("[0, 1, 4, 9]\n"), new_output("execute_result", data={"text/plain": "9"}, execution_count=2)],
        [printed("   naive took   301.250 ms\n   fused took   300.125 ms\n")],
        [drawn(**{"image/svg+xml": svg}), drawn(**{"image/png": "iVBORw0KGgo="})],
        [],
    ]
    for number, (cell, put_out) in enumerate(zip(labs.code_cells(recorded), outputs, strict=True), 1):
        cell.outputs, cell.execution_count = put_out, number
    stamp(recorded)
    return recorded


def stamp(notebook):
    """Record, or forge the digests, so that other problems show alone."""
    notebook.metadata["warmup"] = labs.digests(notebook)


def write(path, notebook):
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


def messages(path):
    return [problem.message for problem in problems(path)]


def test_a_recorded_lab_has_no_problem(notebook, tmp_path):
    assert messages(write(tmp_path / "small.ipynb", notebook)) == []


def test_a_lab_that_was_never_recorded_has_every_problem_of_one(unrecorded, tmp_path):
    path = write(tmp_path / "new.ipynb", unrecorded)
    assert messages(path) == ["It has not been recorded.", NOT_IN_ORDER, NO_TORCH, NO_ASSERT]
    assert all("make lab Q=new" in problem.fix for problem in list(problems(path))[:2])


def test_each_digit_of_each_text_output_is_guarded(notebook, tmp_path):
    typed = 0
    for cell in labs.code_cells(notebook):
        for output in cell.outputs:
            store, key = (output, "text") if "text" in output else (output.data, "text/plain")
            text = store.get(key, "")
            for digit in re.finditer(r"\d", text):
                store[key] = text[: digit.start()] + str((int(digit[0]) + 1) % 10) + text[digit.end() :]
                assert messages(write(tmp_path / "typed.ipynb", notebook)) == [NOT_RECORDED], digit
                typed += 1
            if key in store:
                store[key] = text
    assert typed > 20


def _replace_png(cells):
    cells[3].outputs[1].data["image/png"] = "iVBORw0KGgp="


def _move_svg(cells):
    data = cells[3].outputs[0].data
    data["image/svg+xml"] = data["image/svg+xml"].replace(' 20"', ' 21"')


def _drop_output(cells):
    del cells[2].outputs[0]


def _add_output(cells):
    cells[4].outputs.append(nbformat.v4.new_output("stream", name="stdout", text="all is well"))


def _swap_outputs(cells):
    cells[1].outputs, cells[2].outputs = cells[2].outputs, cells[1].outputs


def _edit_code(cells):
    cells[1].source = cells[1].source.replace("squares[-1]", "squares[+3]")


def _tag_as_recorded(cells):
    cells[1].metadata["tags"] = ["recorded"]


def _execute_out_of_order(cells):
    cells[1].execution_count = 7


def _open_in_an_editor(cells):
    cells[1].metadata["execution"] = {"iopub.execute_input": "2026-11-22T00:00:00Z"}


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (_replace_png, NOT_RECORDED),
        (_move_svg, NOT_RECORDED),
        (_drop_output, NOT_RECORDED),
        (_add_output, NOT_RECORDED),
        (_swap_outputs, NOT_RECORDED),
        (_edit_code, CODE_CHANGED),
        (_tag_as_recorded, CODE_CHANGED),
        (_execute_out_of_order, NOT_IN_ORDER),
        (_open_in_an_editor, EDITOR),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_tampering_is_found(notebook, tmp_path, tamper, expected):
    tamper(labs.code_cells(notebook))
    assert messages(write(tmp_path / "tampered.ipynb", notebook)) == [expected]


def test_prose_may_change_without_a_run(notebook, tmp_path):
    notebook.cells[0].source = "# A better title"
    assert messages(write(tmp_path / "prose.ipynb", notebook)) == []


@pytest.mark.parametrize(
    "source",
    ["print(squares)", "assert True", "# assert squares", "raise AssertionError", "%matplotlib inline\nassert squares"],
)
def test_a_last_cell_that_cannot_fail_is_found(notebook, tmp_path, source):
    labs.code_cells(notebook)[-1].source = source
    stamp(notebook)
    assert messages(write(tmp_path / "mild.ipynb", notebook)) == [NO_ASSERT]


def test_a_lab_that_does_not_name_its_torch_is_found(notebook, tmp_path):
    labs.code_cells(notebook)[0].outputs[0].text = "recorded 2026-11-22\n"
    stamp(notebook)
    assert messages(write(tmp_path / "nameless.ipynb", notebook)) == [NO_TORCH]


@pytest.mark.parametrize(
    "trace",
    [
        "/home/ada/lab.py",
        "cached in '/Users/ada/.cache'",
        r"C:\Users\ada",
        r"'C:\\Users\\ada'",
        "/root/.cache",
        "/tmp/x",
        "file:///home/ada",
        "/private/tmp/x",
        str(ROOT),
    ],
)
def test_a_path_of_a_machine_is_found_in_outputs_code_and_prose(notebook, tmp_path, trace):
    for place in ("output", "code", "prose"):
        changed = copy.deepcopy(notebook)
        if place == "output":
            labs.code_cells(changed)[1].outputs[0].text = f"read {trace}\n"
        else:
            cell = changed.cells[0] if place == "prose" else labs.code_cells(changed)[1]
            cell.source += f"\n# {trace}"
        stamp(changed)
        found = messages(write(tmp_path / "trace.ipynb", changed))
        assert len(found) == 1 and "names a folder of one machine" in found[0] and trace in found[0], place


@pytest.mark.parametrize("text", ["https://example.com/home/page", "rows/tmp/columns", r'print("C:\n")', "a:b", "~/x"])
def test_what_only_looks_like_a_path_is_none(notebook, tmp_path, text):
    notebook.cells[0].source += f"\n{text}"
    assert messages(write(tmp_path / "link.ipynb", notebook)) == []


def test_base64_spells_no_path(notebook, tmp_path):
    labs.code_cells(notebook)[3].outputs[1].data["image/png"] = "iVBORw0KGgo+/tmp/AA="
    stamp(notebook)
    assert messages(write(tmp_path / "image.ipynb", notebook)) == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": 3}', "<<<<<<< ours", '{"nbformat": 99}'])
def test_what_is_no_notebook_is_a_problem_and_no_traceback(tmp_path, text):
    path = tmp_path / "broken.ipynb"
    path.write_text(text)
    (message,) = messages(path)
    assert message.startswith("It cannot be read as a notebook")


def test_cells_without_a_name_of_their_own_are_a_problem(notebook, tmp_path):
    path = write(tmp_path / "twice.ipynb", notebook)
    path.write_text(path.read_text().replace('"id": "c1"', '"id": "c2"'))
    (message,) = messages(path)
    assert message.startswith("It cannot be read as a notebook")


def test_the_command_reports_a_tampered_lab(notebook, tmp_path, monkeypatch, capsys):
    labs.code_cells(notebook)[1].outputs[0].text = "[0, 1, 4, 8]\n"
    write(tmp_path / "typed.ipynb", notebook)
    monkeypatch.setattr(labs, "LABS", tmp_path)
    assert command.main(["check"]) == 1
    assert f"typed.ipynb: {NOT_RECORDED} Run make lab Q=typed" in capsys.readouterr().err
