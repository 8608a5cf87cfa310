"""Programs, outputs and differences as HTML."""

from __future__ import annotations

import pytest

from warmup.site import blocks
from warmup.site.blocks import diff_block, output_block


def test_the_same_code_in_two_files_is_two_downloads():
    shown = [
        blocks.python_fence(blocks.runs_nowhere, "pass", "python", "", options, None)
        for options in (
            {"title": "a.py", "download": "../x/a.py"},
            {"title": "a.py", "download": "../y/a.py"},
            {"title": "a.py"},
            {},
            {"title": "a.py", "download": "../x/a.py", "needs": "CUDA GPU, Several processes"},
        )
    ]
    link = '<a class="tw-download" href="../{}/a.py" download aria-label="Download a.py">Download</a>'
    assert [link.format("x") in shown[0], link.format("y") in shown[1]] == [True, True]
    assert "<a " not in shown[2] + shown[3]
    assert [">Needs: CUDA GPU, Several processes<" in one for one in shown] == [False] * 4 + [True]


def test_output_is_escaped_and_errors_are_marked():
    shown = output_block("<script>\nRuntimeError: no\nloss 0.1", "x")
    assert "&lt;script&gt;" in shown
    assert '<span class="tw-error">RuntimeError: no</span>' in shown
    assert shown.count("tw-error") == 1


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("TypeError: x", True),
        ("torch._dynamo.exc.Unsupported: y", True),
        ("  UserWarning: z", True),
        ("no Error here", False),
        ("ReLU            RuntimeError", False),
        ("error rate 0.1", False),
        ("Sigmoid  output  RuntimeError: one of", True),
        ("loss 0.3: fine", False),
        ("  ValueError", True),
    ],
)
def test_which_lines_are_errors(line, marked):
    assert bool(blocks.ERROR_LINE.match(line)) is marked


def test_an_output_cannot_become_markup():
    shown = diff_block("print('<b>')\n", "print('<i>')\n")
    assert "&lt;b&gt;" in shown and "<b>" not in shown


def test_changes_far_apart_have_a_gap_between_them():
    old = "\n".join(f"x{i} = {i}" for i in range(9))
    shown = diff_block(old, old.replace("x0 = 0", "x0 = 1").replace("x8 = 8", "x8 = 9"))
    assert shown.count("…") == 1
    assert "x4" not in shown
