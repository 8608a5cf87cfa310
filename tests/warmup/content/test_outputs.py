"""What is recorded, and what ties it to the code that printed it."""

from __future__ import annotations

import os
import time

import pytest

from warmup.checks.outputs import problems
from warmup.content import outputs
from warmup.content.outputs import Output, fingerprint, for_torch, read, snippet_of, variants, written

CUDA = '# /// script\n# [tool.warmup]\n# needs = "cuda"\n# ///\nprint(1)\n'
MEASURED = '# /// script\n# [tool.warmup]\n# output = "measured"\n# tolerance = 0.1\n# ///\nprint(0.5)\n'


@pytest.fixture
def snippet(tmp_path):
    path = tmp_path / "x.py"
    path.write_text("print(1)\n")
    path.with_suffix(".out").write_text("1\n")
    return path


def messages(path):
    return [problem.message for problem in problems(path)]


def tied(path, code, text, name=None):
    path.write_text(code)
    out = path.with_name(name) if name else path.with_suffix(".out")
    out.write_text(written(text, code, 'one "GPU" & more', "2.13.0+cpu", "2026-11-22"))
    return out


def test_an_exact_output_is_what_was_printed(snippet):
    assert read(snippet.with_suffix(".out")) == Output("1\n")
    assert messages(snippet) == []


@pytest.mark.parametrize("code", [CUDA, MEASURED])
def test_another_output_is_tied_to_its_code(snippet, code):
    out = tied(snippet, code, "0.5\n")
    assert read(out) == Output(
        "0.5\n", 'recorded on one "GPU" & more, torch 2.13.0+cpu, 2026-11-22', fingerprint(code, "0.5\n")
    )
    assert messages(snippet) == []


@pytest.mark.parametrize("code", [CUDA, MEASURED])
def test_a_digit_typed_into_it_is_noticed_without_a_run(snippet, code):
    out = tied(snippet, code, "0.5\n")
    out.write_text(out.read_text().replace("\n0.5", "\n0.6"))
    assert messages(snippet) == ["Its snippet has changed since it was recorded, or it was edited."]


@pytest.mark.parametrize("code", [CUDA, MEASURED])
def test_an_edit_of_the_code_is_noticed_without_a_run_and_one_of_the_header_is_none(snippet, code):
    tied(snippet, code, "0.5\n")
    snippet.write_text(code.replace("# ///\nprint", "#\n# timeout = 5\n# ///\nprint"))
    assert messages(snippet) == []
    snippet.write_text(code.replace("print(", "print(2 * "))
    assert messages(snippet) == ["Its snippet has changed since it was recorded, or it was edited."]


def test_a_fingerprint_cannot_be_left_out(snippet):
    out = tied(snippet, CUDA, "1\n")
    out.write_text(out.read_text().replace(f", fingerprint {fingerprint(CUDA, '1' + chr(10))}", ""))
    assert messages(snippet) == ["Its snippet has changed since it was recorded, or it was edited."]
    out.write_text("1\n")
    assert messages(snippet) == ["It does not say where it was recorded."]


def test_an_exact_output_has_no_first_line(snippet):
    tied(snippet, "print(1)\n", "1\n")
    assert messages(snippet) == ["An exact output says where it was recorded."]


def test_each_torch_has_the_output_of_its_range(snippet):
    for name in ("before-2.11", "before-2.12", "from-2.14", "from-2.16"):
        tied(snippet, "print(1)\n", "other\n", f"x.torch-{name}.out")
    chosen = {
        torch: for_torch(snippet, torch).name
        for torch in ("2.10.1", "2.11.0", "2.12.0", "2.13.0+cpu", "2.14.0", "2.15.1", "2.16.0", "3.0.0")
    }
    assert chosen == {
        "2.10.1": "x.torch-before-2.11.out",
        "2.11.0": "x.torch-before-2.12.out",
        "2.12.0": "x.out",
        "2.13.0+cpu": "x.out",
        "2.14.0": "x.torch-from-2.14.out",
        "2.15.1": "x.torch-from-2.14.out",
        "2.16.0": "x.torch-from-2.16.out",
        "3.0.0": "x.torch-from-2.16.out",
    }
    assert [variant.name for variant in variants(snippet)] == [
        "torch before 2.11",
        "torch before 2.12",
        "torch 2.14 and later",
        "torch 2.16 and later",
    ]
    assert all(snippet_of(variant.path) == snippet for variant in variants(snippet))
    assert messages(snippet) == []


def test_a_variant_is_found_when_it_comes_and_missed_when_it_goes(snippet):
    for age in (100, 0):  # a folder that nobody has touched for long is kept in memory
        when = time.time() - age
        os.utime(snippet.parent, (when, when))
        assert variants(snippet) == []
        late = snippet.with_name(f"{snippet.stem}.torch-from-2.14.out")
        late.write_text("2\n")
        snippet.with_name(f"{snippet.stem}_more.torch-from-2.14.out").write_text("another snippet's\n")
        assert [one.path for one in variants(snippet)] == [late]
        late.unlink()
        assert variants(snippet) == []


def test_a_variant_is_tied_to_its_code_too(snippet):
    out = tied(snippet, "print(1)\n", "other\n", "x.torch-from-2.14.out")
    out.write_text(out.read_text().replace("other", "others"))
    assert messages(snippet) == ["Its snippet has changed since it was recorded, or it was edited."]


def test_a_variant_for_the_pinned_torch_or_for_no_range_is_an_error(snippet, monkeypatch):
    tied(snippet, "print(1)\n", "other\n", "x.torch-from-2.13.out")
    snippet.with_name("x.torch-2.14.out").write_text("1\n")
    monkeypatch.setattr(outputs, "recorded_torch", lambda: "2.13.0")
    assert messages(snippet) == [
        "It is for torch 2.13 and later, which holds the pinned 2.13.0.",
        "Its name says no range of torch.",
    ]


def test_only_the_lines_that_differ_are_shown_of_a_variant():
    assert outputs.changed_lines("a\nb\nc\n", "a\nB\nc\nd\n") == "B\nd"
