"""What keeps a lab's outputs true: every kind of tampering is found, and nothing fails by chance."""

from __future__ import annotations

import copy
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warmup import __main__ as command
from warmup.project import ProblemError
from warmup.run import labs

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:jupyter_client", "ignore::ResourceWarning")

SETUP = """import time
from IPython.display import SVG, display
print(f"recorded {time.strftime('%Y-%m-%d', time.gmtime())} with torch 2.13.0+cpu")"""
EXACT = """squares = [n * n for n in range(4)]
print(squares)
squares[-1]"""
# Two writes with a pause arrive as two messages.
MEASURED = """for name in ("naive", "fused"):
    start = time.perf_counter()
    time.sleep(0.3)
    print(f"{name:>8} took {1000 * (time.perf_counter() - start):9.3f} ms", flush=True)"""
DRAW = """display(SVG('<svg xmlns="http://www.w3.org/2000/svg"><path id="p1" d="M 1.5 20"/><text>12</text></svg>'))
display({"image/png": "iVBORw0KGgo="}, raw=True)"""
JUDGE = "assert squares[-1] == 9"

NOT_RECORDED = "Its outputs are not those that a run recorded."
CODE_CHANGED = "Its code changed after its outputs were recorded."
NOT_IN_ORDER = "Its cells were not executed once each, from top to bottom."
EDITOR = "Its cells carry metadata that no lab needs."
NO_TORCH = "It does not say when and with which torch it was recorded."
NO_ASSERT = "Its last code cell asserts nothing."


def lab(*sources: str, measured: tuple[str, ...] = (SETUP, MEASURED)) -> nbformat.NotebookNode:
    cells = [new_markdown_cell("# A lab", id="title")]
    for number, source in enumerate(sources):
        tags = {"tags": ["measured"]} if source in measured else {}
        cells.append(new_code_cell(source, id=f"c{number}", metadata=tags))
    return new_notebook(cells=cells, metadata={"language_info": {"name": "python", "version": "2.7"}})


def write(path, notebook):
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


def messages(path):
    return [problem.message for problem in labs.check(path)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A lab as the command leaves it; recording it takes two executions."""
    path = write(tmp_path_factory.mktemp("labs") / "small.ipynb", lab(SETUP, EXACT, MEASURED, DRAW, JUDGE))
    assert labs.record(path)
    return path


@pytest.fixture
def notebook(recorded):
    return labs.read(recorded)


def stamp(notebook):
    """Forge the digests, so that other problems show alone."""
    notebook.metadata["warmup"] = {"code": labs.code_digest(notebook), "outputs": labs.outputs_digest(notebook)}


def test_a_recorded_lab_has_no_problem(recorded):
    assert messages(recorded) == []


def test_a_recorded_lab_holds_nothing_of_when_and_where_it_ran_but_what_it_prints(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info", "warmup"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


def test_what_a_cell_prints_bit_by_bit_is_one_output(notebook):
    assert [output.output_type for output in labs.code_cells(notebook)[2].outputs] == ["stream"]


def test_a_lab_that_was_never_recorded_has_every_problem_of_one(tmp_path):
    path = write(tmp_path / "new.ipynb", lab(SETUP, EXACT))
    assert messages(path) == ["It has not been recorded.", NOT_IN_ORDER, NO_TORCH, NO_ASSERT]
    assert all("make lab Q=new" in problem.fix for problem in list(labs.check(path))[:2])


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


def _tag_as_measured(cells):
    cells[1].metadata["tags"] = ["measured"]


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
        (_tag_as_measured, CODE_CHANGED),
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
        str(labs.ROOT),
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


class TestCompare:
    """A fresh run against the recorded one."""

    @pytest.fixture
    def fresh(self, notebook):
        return copy.deepcopy(notebook)

    def test_equal_outputs_agree(self, notebook, fresh):
        assert labs.compare(notebook, fresh) == ""

    def test_an_exact_cell_is_compared_to_the_digit(self, notebook, fresh):
        labs.code_cells(fresh)[1].outputs[0].text = "[0, 1, 4, 8]\n"
        difference = labs.compare(notebook, fresh)
        assert "-[0, 1, 4, 9]" in difference and "+[0, 1, 4, 8]" in difference and "'c1'" in difference

    def test_the_value_of_a_cell_is_compared_too(self, notebook, fresh):
        labs.code_cells(fresh)[1].outputs[1].data["text/plain"] = "8"
        assert "+8" in labs.compare(notebook, fresh)

    @pytest.mark.parametrize(
        "text",
        ["   naive took     0.001 ms\n   fused took 99999.000 ms\n", "   naive took 1e-05 ms\n   fused took -3 ms\n"],
    )
    def test_a_measured_cell_may_have_other_digits_and_their_padding(self, notebook, fresh, text):
        labs.code_cells(fresh)[2].outputs[0].text = text
        assert labs.compare(notebook, fresh) == ""

    @pytest.mark.parametrize(
        "text",
        [
            "   naive took 1 ms\n",
            "   naive took 1 s\n   fused took 1 ms\n",
            "   naive took inf ms\n   fused took 1 ms\n",
            "   naive took 1 2 ms\n   fused took 1 ms\n",
            "   fused took 1 ms\n   naive took 1 ms\n",
        ],
    )
    def test_all_around_the_digits_of_a_measured_cell_is_exact(self, notebook, fresh, text):
        labs.code_cells(fresh)[2].outputs[0].text = text
        assert labs.compare(notebook, fresh) != ""

    def test_another_torch_in_a_measured_cell_agrees(self, notebook, fresh):
        labs.code_cells(fresh)[0].outputs[0].text = "recorded 2027-01-01 with torch 2.11.0\n"
        assert labs.compare(notebook, fresh) == ""

    @pytest.mark.parametrize(
        ("old", "new", "same"),
        [
            (' 20"', ' 20.009"', True),
            ('"p1"', '"p2"', True),
            (' 20"', ' 20.02"', False),
            (">12<", ">12.001<", False),
            ("M 1.5", "L 1.5", False),
            ("<path", "<line", False),
            ("M 1.5", "M 1.5 1.5", False),
        ],
    )
    def test_an_exact_plot_is_compared_within_a_hundredth_of_a_point(self, notebook, fresh, old, new, same):
        data = labs.code_cells(fresh)[3].outputs[0].data
        assert old in data["image/svg+xml"]
        data["image/svg+xml"] = data["image/svg+xml"].replace(old, new)
        assert (labs.compare(notebook, fresh) == "") is same

    def test_colors_in_a_plot_are_no_numbers(self):
        # As numbers both would be zero.
        assert not labs._same_drawing('<path style="fill: #0e1234"/>', '<path style="fill: #0e5678"/>')

    def test_a_measured_plot_must_only_be_there(self, notebook, fresh):
        for one in (notebook, fresh):
            labs.code_cells(one)[3].metadata["tags"] = ["measured"]
        outputs = labs.code_cells(fresh)[3].outputs
        outputs[0].data["image/svg+xml"] = "<svg/>"
        assert labs.compare(notebook, fresh) == ""
        del outputs[0]
        assert "'c3'" in labs.compare(notebook, fresh)


class TestRecord:
    def test_a_lab_that_agrees_is_left_alone_and_force_records_it(self, recorded, tmp_path):
        path = tmp_path / "again.ipynb"
        path.write_bytes(recorded.read_bytes())
        assert not labs.record(path)
        assert path.read_bytes() == recorded.read_bytes()
        assert labs.record(path, force=True)
        assert path.read_bytes() != recorded.read_bytes()  # the milliseconds
        assert messages(path) == []
        assert [file.name for file in tmp_path.iterdir()] == [path.name]

    def test_recording_mends_what_the_check_finds(self, notebook, tmp_path):
        # A fresh run agrees with all three: only the check asks for it.
        for tamper in (_edit_code, _replace_png, _open_in_an_editor):
            tamper(labs.code_cells(notebook))
        path = write(tmp_path / "tampered.ipynb", notebook)
        assert messages(path) == [CODE_CHANGED, NOT_RECORDED, EDITOR]
        assert labs.record(path)
        assert messages(path) == []

    def test_recording_mends_what_only_a_run_finds(self, notebook, tmp_path):
        labs.code_cells(notebook)[1].outputs[0].text = "[0, 1, 4, 8]\n"
        stamp(notebook)
        path = write(tmp_path / "forged.ipynb", notebook)
        assert messages(path) == []
        assert labs.record(path)
        assert labs.code_cells(labs.read(path))[1].outputs[0].text == "[0, 1, 4, 9]\n"

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            (
                "import os\nprint(os.environ.get('ATEN_CPU_CAPABILITY'))",
                r"Another processor gives something else:(?s:.*)\+default",
            ),
            ("assert 1 + 1 == 3, 'odd'", "A cell raised AssertionError: odd"),
            ("import sys\nprint('careful', file=sys.stderr)", "'c0' writes to stderr: careful"),
            ("import os\nos._exit(1)", "Its execution ended early"),
        ],
        ids=["processor", "assert", "stderr", "exit"],
    )
    def test_a_lab_that_fails_is_not_recorded(self, tmp_path, source, message):
        path = write(tmp_path / "failing.ipynb", lab(source))
        before = path.read_bytes()
        with pytest.raises(ProblemError, match=message):
            labs.record(path)
        assert path.read_bytes() == before

    def test_a_cell_that_takes_too_long_says_the_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(labs, "SECONDS_A_CELL", 1)
        path = write(tmp_path / "slow.ipynb", lab("import time\ntime.sleep(60)"))
        with pytest.raises(ProblemError, match="A cell may take 1 seconds"):
            labs.record(path)

    def test_it_runs_in_an_empty_folder_without_the_profile_of_who_runs_it(self, tmp_path, monkeypatch):
        startup = tmp_path / "ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "mine.py").write_text("mine = 1\n")
        monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
        path = tmp_path / "alone.ipynb"
        source = "import os\nprint([name for name in os.listdir() if name[0] != '.'], 'mine' in globals())"
        fresh = labs.execute(lab(source), path)
        assert labs.code_cells(fresh)[0].outputs[0].text == "[] False\n"


class TestCommand:
    def test_check_reports_a_tampered_lab(self, notebook, tmp_path, monkeypatch, capsys):
        labs.code_cells(notebook)[1].outputs[0].text = "[0, 1, 4, 8]\n"
        write(tmp_path / "typed.ipynb", notebook)
        monkeypatch.setattr(labs, "LABS", tmp_path)
        assert command.main(["check"]) == 1
        error = capsys.readouterr().err
        assert f"typed.ipynb: {NOT_RECORDED} Run make lab Q=typed" in error

    def test_lab_records_the_named_one_only(self, recorded, tmp_path, monkeypatch, capsys):
        for name in ("first", "second"):
            (tmp_path / f"{name}.ipynb").write_bytes(recorded.read_bytes())
        monkeypatch.setattr(labs, "LABS", tmp_path)
        monkeypatch.setattr(labs, "execute", lambda notebook, *_: notebook)
        assert command.main(["lab", "docs/labs/second.ipynb"]) == 0
        (line,) = capsys.readouterr().out.splitlines()
        assert line.endswith("second.ipynb: unchanged")
        assert command.main(["lab"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 2

    def test_lab_says_what_still_is_a_problem_after_recording(self, tmp_path, monkeypatch, capsys):
        write(tmp_path / "mild.ipynb", lab(SETUP))
        monkeypatch.setattr(labs, "LABS", tmp_path)
        assert command.main(["lab"]) == 1
        printed = capsys.readouterr()
        assert "mild.ipynb: recorded" in printed.out and NO_ASSERT in printed.err

    def test_an_unknown_lab_says_which_there_are(self, capsys):
        assert command.main(["lab", "attention"]) == 1
        assert "There is no such lab. There are: attention-cost" in capsys.readouterr().err
