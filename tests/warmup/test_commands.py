"""The commands behind the Makefile: what they do with names, and what they say without torch."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

import pytest

from warmup import __main__ as command
from warmup.project import ROOT, SNIPPETS, ProblemError


def names(paths):
    return [path.relative_to(SNIPPETS).as_posix() for path in paths]


@pytest.mark.parametrize(
    "name",
    [
        "junior/autograd/zero_grad",
        "junior/autograd/zero_grad.py",
        "junior/autograd/zero_grad.out",
        "snippets/junior/autograd/zero_grad.py",
        str(SNIPPETS / "junior/autograd/zero_grad.py"),
    ],
)
def test_a_snippet_can_be_named_in_every_usual_way(name):
    assert names(command.snippet_paths([name])) == ["junior/autograd/zero_grad.py"]


def test_a_question_means_all_of_its_snippets():
    found = names(command.snippet_paths(["junior/autograd/zero-grad"]))
    assert {"junior/autograd/zero_grad.py", "junior/autograd/zero_grad_none.py"} < set(found)
    assert all(name.startswith("junior/autograd/zero_grad") for name in found)


def test_no_name_means_all_that_prints():
    found = set(names(command.snippet_paths([])))
    left = {name for name in names(SNIPPETS.rglob("*.py")) if name not in found}
    assert "practice/trainers/memory-grows/fixed.py" in found  # which is made
    assert "practice/write/causal-attention/solution.py" in left
    left.remove("practice/watching.py")
    checked = {name for name in left if name.startswith("practice/trainers/")}
    assert {name.rpartition("/")[2] for name in checked} <= {"check.py", "checking.py"}
    assert all(name.startswith("practice/write/") for name in left - checked)


def test_an_unknown_name_says_the_form():
    with pytest.raises(ProblemError, match="for example Q=junior/autograd/zero_grad"):
        command.snippet_paths(["junior/autograd/zero_gard"])


def test_new_with_a_bad_name_fails_without_a_traceback(capsys):
    assert command.main(["new", "detach"]) == 1
    assert "make new Q=junior/autograd/detach" in capsys.readouterr().err


def test_check_passes_on_this_project(capsys):
    assert command.main(["check"]) == 0
    assert re.search(r"\d+ questions, \d+ snippets, 0 problems", capsys.readouterr().out)


def test_without_torch_the_tests_say_the_command():
    # An importer that finds no torch, as in the environment that `make serve` sets up.
    code = (
        "import sys\n"
        "import importlib.util as util\n"
        "real = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'torch' else real(name, package)\n"
        "import pytest\n"
        "sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'tests/test_project.py']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "torch is not installed: run `make test`" in done.stdout + done.stderr


def test_lint_runs_every_check_whatever_the_others_find(tmp_path):
    tools = ["ruff", "mypy", "oxlint", "actionlint", "zizmor", "python"]
    (tmp_path / "bin").mkdir()
    for name in tools:
        tool = tmp_path / "bin" / name
        tool.write_text(f'#!/bin/sh\necho "{name} ran"\n[ "$FAILS" != {name} ]\n')
        tool.chmod(0o755)
    for stamp in (".site", ".test"):
        (tmp_path / stamp).touch()
    for fails in (*tools, ""):
        done = subprocess.run(
            ["make", "lint", f"VENV={tmp_path}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**os.environ, "FAILS": fails},
            check=False,
        )
        ran = re.findall(r"^(\w+) ran$", done.stdout, flags=re.M)
        assert (ran, done.returncode) == (["ruff", *tools], 2 if fails else 0), fails  # ruff checks, then lays out


PROSE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "docs/about/verified.md", "docs/about/live.md")]
GUIDES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/about/contributing").glob("*.md"))]


def test_every_make_target_that_the_prose_names_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.M))
    for file in {*PROSE, *GUIDES}:
        named = set(re.findall(r"(?:^|`)(?:\w+=\S+ )?make ([a-z-]+)", file.read_text(encoding="utf-8"), flags=re.M))
        assert named <= targets, f"{file}: {named - targets}"


def test_every_file_that_the_guides_name_exists():
    named = []
    for guide in GUIDES:
        text = guide.read_text(encoding="utf-8")
        named += re.findall(r"`((?:\.github|docs|scripts|snippets|tests|requirements)[^`<*]*)`", text)
    assert len(named) > 30
    missing = [name for name in named if not (ROOT / name).exists() and name != "docs/level/topic/name.dot"]
    assert not missing, missing


def test_contributing_leads_to_every_guide_and_names_every_room():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for guide in GUIDES[1:]:
        assert guide.name == "index.md" or f"]({guide.relative_to(ROOT).as_posix()})" in text, guide
    rooms = {path.name for path in (ROOT / "scripts" / "warmup").iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert set(re.findall(r"`scripts/warmup/(\w+)/`", text)) == rooms


def test_every_module_begins_with_what_it_is_for():
    said: dict[str, str] = {}
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not text.strip() or path.is_relative_to(ROOT / "scripts" / "template"):
            continue
        line = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
        assert len(line.split()) >= 3 and line[-1] in ".:", f"{path}: {line}"
        assert line not in said, f"{path} says what {said[line]} says"
        said[line] = str(path)
