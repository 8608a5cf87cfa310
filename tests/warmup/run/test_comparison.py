"""Three ways to compare a fresh output with a recorded one."""

from __future__ import annotations

import pytest

from warmup.content.header import Header
from warmup.run.comparison import agree, masked, same_drawing

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
