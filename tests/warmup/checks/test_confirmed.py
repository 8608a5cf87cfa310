"""Lint refuses an output that not all machines have confirmed."""

from __future__ import annotations

import pytest

from warmup.checks import outputs
from warmup.content import confirmed

RECORDED = '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\n'


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "snippets/junior/autograd/x.py"
    path.parent.mkdir(parents=True)
    path.write_text("print(1)\n")
    path.with_suffix(".out").write_text("1\n")
    confirmed.note([path], "11 machines", tmp_path / "snippets" / confirmed.NAME)
    return path


def messages(path):
    return [problem.message for problem in outputs.problems(path) if "confirmed" in problem.message]


def test_what_is_confirmed_is_no_problem(program):
    assert messages(program) == []


@pytest.mark.parametrize("kind", [".py", ".out", ".svg"])
def test_an_edit_of_code_output_or_plot_has_to_be_confirmed_again(program, kind):
    file = program.with_suffix(kind)
    file.write_text((file.read_text() if file.exists() else "") + "\n")
    assert messages(program) == ["Not all machines have confirmed it: another one may print something else."]


def test_another_torch_has_to_confirm_again(program, monkeypatch):
    monkeypatch.setattr(confirmed.outputs, "recorded_torch", lambda: "9.9.9")
    assert messages(program)


def test_what_one_machine_measured_needs_no_confirmation(program):
    program.write_text(RECORDED + "print(2)\n")
    assert messages(program) == []


def test_other_machines_confirm_everything_again_and_lines_of_lost_programs_go(program):
    file = program.parents[2] / confirmed.NAME
    other = program.with_name("y.py")
    other.write_text("print(2)\n")
    confirmed.note([other], "11 machines", file)
    assert len(file.read_text().splitlines()) == 3
    program.unlink()
    confirmed.note([other], "11 machines", file)
    assert file.read_text().splitlines() == ["# confirmed by the machines 11 machines", confirmed.line(other)]
    program.write_text("print(1)\n")
    confirmed.note([program], "12 machines", file)
    assert file.read_text().splitlines() == ["# confirmed by the machines 12 machines", confirmed.line(program)]
