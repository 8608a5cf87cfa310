"""Three ways to compare a fresh output with a recorded one."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from warmup.content import outputs
from warmup.content.header import Header
from warmup.run.comparison import agree, compare, masked, same_drawing
from warmup.run.result import Result

RECORDED = '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\n'
MEASURED_HEADER = '# /// script\n# [tool.warmup]\n# output = "measured"\n# tolerance = 0.1\n# ///\n'
PIN = outputs.recorded_torch()
MEASURED = Header(output="measured", tolerance=0.1)


@pytest.mark.parametrize(
    ("kind", "other"),
    [(Header(), "1.0 s\n"), (MEASURED, "1.09 s\n"), (Header(output="recorded"), "9 s\n")],
    ids=["exact", "measured", "recorded"],
)
def test_a_kind_promises_more_than_the_next(kind, other):
    agreeing = [fresh for fresh in ("1.0 s\n", "1.09 s\n", "9 s\n", "9 ms\n") if agree("1.0 s\n", fresh, kind)]
    assert agreeing[-1] == other


@pytest.mark.parametrize(("fresh", "same"), [("torch 2.13.0", True), ("torch 2.13", False), ("torch 2.14.0", False)])
def test_a_version_has_no_tolerance(fresh, same):
    assert agree("torch 2.13.0", fresh, MEASURED) is same


def test_the_label_of_a_build_is_no_text_but_a_sum_is():
    assert masked("torch 2.13.0+cpu, 1") == masked("torch 2.13.0+cu130, 1") == masked("torch 2.11.0, 2")
    assert masked("1+n") != masked("1+m")


def test_colors_in_a_plot_are_no_numbers():
    # As numbers both would be zero.
    assert not same_drawing('<path style="fill: #0e1234"/>', '<path style="fill: #0e5678"/>')


def recorded(code: str, text: str) -> str:
    return outputs.written(text, code, "a CPU with 2 cores", PIN, "2026-11-21")


def write(topic: Path, name: str, code: str, out: str | None = None) -> Path:
    path = topic / f"{name}.py"
    path.write_text(textwrap.dedent(code))
    if out is not None:
        path.with_suffix(".out").write_text(out)
    return path


@pytest.mark.parametrize(
    ("recorded", "fresh", "same"),
    [
        ("took 1.25e-03 s", "took 98 s", True),
        ("|  9.5 |", "| 10.5 |", True),
        ("tensor([1., 2.])", "tensor([1.5, 2.25])", True),
        ("12 ms", "12 s", False),
        ("line   2.50 ms, at 0 = 2.40", "line  -1.06 ms, at 0 = -1.73", True),  # a fit of what one run measured
        ("5 - 2", "5 2", False),
        ("2011-2012", "2011 2012", False),
        ("1 2", "1", False),
    ],
)
def test_numbers_are_masked_in_recorded_outputs(topic, recorded, fresh, same):
    path = write(topic, "x", RECORDED, outputs.written(f"{recorded}\n", RECORDED, "a CPU", PIN, "2026-11-21"))
    difference = compare(path, Result(path, "ok", 0, stdout=f"{fresh}\n"))
    assert (difference == "") == same, difference


def test_a_recorded_output_without_its_first_line_does_not_pass(topic):
    path = write(topic, "x", RECORDED, "1\n")
    message = compare(path, Result(path, "ok", 0, stdout="1\n"))
    assert message.endswith("does not say where it was recorded: run make record Q=junior/autograd/x")


def test_exact_outputs_are_compared_to_the_last_byte(topic):
    path = write(topic, "x", "", "0.5\n")
    assert compare(path, Result(path, "ok", 0, stdout="0.5\n")) == ""
    assert compare(path, Result(path, "ok", 0, stdout="0.5")).endswith("+0.5\n\\ No newline at end of file\n")
    lines = compare(path, Result(path, "ok", 0, stdout="0.6\n")).splitlines()
    assert lines[0] == "--- junior/autograd/x.out (recorded)"
    assert lines[-2:] == ["-0.5", "+0.6"]


def test_a_run_that_failed_does_not_agree_with_anything(topic):
    path = write(topic, "x", "", "")
    assert compare(path, Result(path, "failed", 1, message="it failed")) == "it failed"


def test_no_recorded_output_says_the_command(topic):
    path = write(topic, "x", "")
    assert compare(path, Result(path, "ok", 0)) == "no recorded output: run make record Q=junior/autograd/x"


@pytest.mark.parametrize(
    ("old", "fresh", "same"),
    [
        ("0.100 and 20", "0.109 and 21", True),
        ("0.100", "0.120", False),
        ("3 steps", "4 steps", False),
        ("0.0", "0.001", False),
        ("1e-03", "1.05e-03", True),
        ("  9.9 |", " 10.1 |", True),
        ("1 2", "1", False),
        ("0.1 s", "0.1 ms", False),
    ],
)
def test_measured_numbers_agree_within_the_tolerance_of_the_header(topic, old, fresh, same):
    path = write(topic, "x", MEASURED_HEADER, recorded(MEASURED_HEADER, f"{old}\n"))
    assert (compare(path, Result(path, "ok", 0, stdout=f"{fresh}\n", torch=PIN)) == "") == same
