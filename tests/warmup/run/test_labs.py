"""Executing a lab, recording what it gave, and comparing a fresh run with it: nothing fails by chance."""

from __future__ import annotations

import copy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from warmup import __main__ as command
from warmup.kinds import labs
from warmup.kinds.labs import problems
from warmup.project import ProblemError
from warmup.run import labs as execution
from warmup.run.labs import compare, record

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


def lab(*sources: str, varying: tuple[str, ...] = (SETUP, MEASURED)) -> nbformat.NotebookNode:
    cells = [new_markdown_cell("# A lab", id="title")]
    for number, source in enumerate(sources):
        tags = {"tags": [labs.RECORDED]} if source in varying else {}
        cells.append(new_code_cell(source, id=f"c{number}", metadata=tags))
    return new_notebook(cells=cells, metadata={"language_info": {"name": "python", "version": "2.7"}})


def write(path, notebook):
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


def messages(path):
    return [problem.message for problem in problems(path)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A lab as the command leaves it; recording it takes two executions."""
    path = write(tmp_path_factory.mktemp("labs") / "small.ipynb", lab(SETUP, EXACT, MEASURED, DRAW, JUDGE))
    assert record(path)
    return path


@pytest.fixture
def notebook(recorded):
    return labs.read(recorded)


def test_a_recorded_lab_has_no_problem(recorded):
    assert messages(recorded) == []


def test_a_recorded_lab_holds_nothing_of_when_and_where_it_ran_but_what_it_prints(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info", "warmup"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


def test_what_a_cell_prints_bit_by_bit_is_one_output(notebook):
    assert [output.output_type for output in labs.code_cells(notebook)[2].outputs] == ["stream"]


class TestCompare:
    """A fresh run against the recorded one."""

    @pytest.fixture
    def fresh(self, notebook):
        return copy.deepcopy(notebook)

    def test_equal_outputs_agree(self, notebook, fresh):
        assert compare(notebook, fresh) == ""

    def test_an_exact_cell_is_compared_to_the_digit(self, notebook, fresh):
        labs.code_cells(fresh)[1].outputs[0].text = "[0, 1, 4, 8]\n"
        difference = compare(notebook, fresh)
        assert "-[0, 1, 4, 9]" in difference and "+[0, 1, 4, 8]" in difference and "'c1'" in difference

    def test_the_value_of_a_cell_is_compared_too(self, notebook, fresh):
        labs.code_cells(fresh)[1].outputs[1].data["text/plain"] = "8"
        assert "+8" in compare(notebook, fresh)

    @pytest.mark.parametrize(
        "text",
        ["   naive took     0.001 ms\n   fused took 99999.000 ms\n", "   naive took 1e-05 ms\n   fused took 3 ms\n"],
    )
    def test_a_recorded_cell_may_have_other_digits_and_their_padding(self, notebook, fresh, text):
        labs.code_cells(fresh)[2].outputs[0].text = text
        assert compare(notebook, fresh) == ""

    @pytest.mark.parametrize(
        "text",
        [
            "   naive took 1 ms\n",
            "   naive took 1 s\n   fused took 1 ms\n",
            "   naive took 1 ms\n   fused took -1 ms\n",
            "   naive took inf ms\n   fused took 1 ms\n",
            "   naive took 1 2 ms\n   fused took 1 ms\n",
            "   fused took 1 ms\n   naive took 1 ms\n",
        ],
    )
    def test_all_around_the_digits_of_a_recorded_cell_is_exact(self, notebook, fresh, text):
        labs.code_cells(fresh)[2].outputs[0].text = text
        assert compare(notebook, fresh) != ""

    def test_another_torch_in_a_recorded_cell_agrees(self, notebook, fresh):
        labs.code_cells(fresh)[0].outputs[0].text = "recorded 2027-01-01 with torch 2.11.0\n"
        assert compare(notebook, fresh) == ""

    @pytest.mark.parametrize(
        ("old", "new", "same"),
        [
            (' 20"', ' 20.4"', True),
            ('"p1"', '"p2"', True),
            (' 20"', ' 20.6"', False),
            (">12<", ">12.001<", False),
            ("M 1.5", "L 1.5", False),
            ("<path", "<line", False),
            ("M 1.5", "M 1.5 1.5", False),
        ],
    )
    def test_an_exact_plot_is_compared_within_half_a_point(self, notebook, fresh, old, new, same):
        data = labs.code_cells(fresh)[3].outputs[0].data
        assert old in data["image/svg+xml"]
        data["image/svg+xml"] = data["image/svg+xml"].replace(old, new)
        assert (compare(notebook, fresh) == "") is same

    def test_a_recorded_plot_must_only_be_there(self, notebook, fresh):
        for one in (notebook, fresh):
            labs.code_cells(one)[3].metadata["tags"] = [labs.RECORDED]
        outputs = labs.code_cells(fresh)[3].outputs
        outputs[0].data["image/svg+xml"] = "<svg/>"
        assert compare(notebook, fresh) == ""
        del outputs[0]
        assert "'c3'" in compare(notebook, fresh)


class TestRecord:
    def test_a_lab_that_agrees_is_left_alone_and_force_records_it(self, recorded, tmp_path):
        path = tmp_path / "again.ipynb"
        path.write_bytes(recorded.read_bytes())
        assert not record(path)
        assert path.read_bytes() == recorded.read_bytes()
        assert record(path, force=True)
        assert path.read_bytes() != recorded.read_bytes()  # the milliseconds
        assert messages(path) == []
        assert [file.name for file in tmp_path.iterdir()] == [path.name]

    def test_recording_mends_what_only_a_run_finds(self, notebook, tmp_path):
        labs.code_cells(notebook)[1].outputs[0].text = "[0, 1, 4, 8]\n"
        notebook.metadata["warmup"] = labs.digests(notebook)
        path = write(tmp_path / "forged.ipynb", notebook)
        assert messages(path) == []
        assert record(path)
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
            record(path)
        assert path.read_bytes() == before

    def test_a_cell_that_takes_too_long_says_the_limit(self, tmp_path, monkeypatch):
        monkeypatch.setattr(execution, "SECONDS_A_CELL", 1)
        path = write(tmp_path / "slow.ipynb", lab("import time\ntime.sleep(60)"))
        with pytest.raises(ProblemError, match="A cell may take 1 seconds"):
            record(path)

    def test_it_runs_in_an_empty_folder_without_the_profile_of_who_runs_it(self, tmp_path, monkeypatch):
        startup = tmp_path / "ipython" / "profile_default" / "startup"
        startup.mkdir(parents=True)
        (startup / "mine.py").write_text("mine = 1\n")
        monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
        path = tmp_path / "alone.ipynb"
        source = "import os\nprint([name for name in os.listdir() if name[0] != '.'], 'mine' in globals())"
        fresh = execution.execute(lab(source), path)
        assert labs.code_cells(fresh)[0].outputs[0].text == "[] False\n"


class TestCommand:
    def test_lab_records_the_named_one_only(self, recorded, tmp_path, monkeypatch, capsys):
        for name in ("first", "second"):
            (tmp_path / f"{name}.ipynb").write_bytes(recorded.read_bytes())
        monkeypatch.setattr(labs, "LABS", tmp_path)
        monkeypatch.setattr(execution, "execute", lambda notebook, *_: notebook)
        assert command.main(["lab", "docs/labs/second.ipynb"]) == 0
        (line,) = capsys.readouterr().out.splitlines()
        assert line.endswith("second.ipynb: unchanged")
        assert command.main(["lab"]) == 0
        assert len(capsys.readouterr().out.splitlines()) == 2

    def test_lab_mends_what_the_check_finds(self, notebook, tmp_path, monkeypatch):
        # A fresh run agrees with both: only the check asks for it.
        labs.code_cells(notebook)[1].source = labs.code_cells(notebook)[1].source.replace("squares[-1]", "squares[+3]")
        labs.code_cells(notebook)[3].outputs[1].data["image/png"] = "iVBORw0KGgp="
        path = write(tmp_path / "tampered.ipynb", notebook)
        assert len(messages(path)) == 2
        monkeypatch.setattr(labs, "LABS", tmp_path)
        assert command.main(["lab"]) == 0
        assert messages(path) == []

    def test_lab_says_what_still_is_a_problem_after_recording(self, tmp_path, monkeypatch, capsys):
        write(tmp_path / "mild.ipynb", lab(SETUP))
        monkeypatch.setattr(labs, "LABS", tmp_path)
        assert command.main(["lab"]) == 1
        printed = capsys.readouterr()
        assert "mild.ipynb: recorded" in printed.out and "Its last code cell asserts nothing." in printed.err

    def test_an_unknown_lab_says_which_there_are(self, capsys):
        assert command.main(["lab", "attention"]) == 1
        assert "There is no such lab. There are: attention-cost" in capsys.readouterr().err
