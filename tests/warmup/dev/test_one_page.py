"""`make page`: what belongs to a page of each kind is found, and whatever is wrong with any of it is told."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from warmup import __main__ as command
from warmup.dev import one_page
from warmup.project import DOCS, ROOT, SNIPPETS, Problem
from warmup.testing import copy_sample

LINE = re.compile(r"^(checks|outputs|claims|page) +\d+\.\d s  (.+)$", flags=re.M)


def ran(root, name) -> tuple[int, dict[str, str], str]:
    """The exit code, what is said of each part, and what is wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "warmup", "page", name],
        cwd=root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root / "scripts"), "NO_MKDOCS_2_WARNING": "1"},
        check=False,
    )
    return done.returncode, dict(LINE.findall(done.stdout)), done.stderr


@pytest.fixture
def project(tmp_path):
    """The sample, one of whose pages has a claim."""
    project = copy_sample(tmp_path)
    shutil.copy(ROOT / "pyproject.toml", project)
    claims = project / "tests/snippets/junior/autograd/test_thing.py"
    claims.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tests/conftest.py", project / "tests")
    claims.write_text("class TestThing:\n    def test_it(self):\n        assert 1\n")
    return project


def test_a_page_of_this_project_is_green():
    name = "junior/the-role/need-cuda"
    code, said, wrong = ran(ROOT, name)
    assert (code, wrong) == (0, "")
    count = len(one_page.find(name).programs)
    assert said.pop("claims").startswith("ok: ")
    assert said == {"checks": "ok", "outputs": f"ok: {count} programs", "page": f"ok: build/page/{name}/index.html"}


def test_whatever_is_wrong_is_told_at_once(project):
    page = project / "docs/junior/autograd/thing.md"
    page.write_text(page.read_text().replace("    Because.\n", "").replace("This is the", "[This](gone.md) is the"))
    (project / "snippets/junior/autograd/thing.out").write_text("2\n")
    claims = project / "tests/snippets/junior/autograd/test_thing.py"
    claims.write_text(claims.read_text().replace("assert 1", "assert not 'what it claims'"))
    other = project / "docs/junior/autograd/other.md"  # what is wrong with other pages is not told
    other.write_text(other.read_text().replace("kind: concept", "kind: riddle"))
    code, said, wrong = ran(project, "junior/autograd/thing")
    assert code == 1
    assert said == {
        "checks": "1 problems",
        "outputs": "1 of 1 programs differ",
        "claims": "1 failed",
        "page": "not as it should be",
    }
    told = {part.partition(":\n")[0]: part for part in wrong.strip().split("\n\n") if ":\n" in part}
    assert "docs/junior/autograd/thing.md:30: This fold has no answer." in told["checks"]
    assert "-2\n+1" in told["outputs"]
    assert "make record Q=junior/autograd/thing" in told["outputs"]
    assert "what it claims" in wrong
    assert "'gone.md'" in told["page"]
    assert "riddle" not in wrong


@pytest.mark.parametrize("wrong", [{}, {"checks": "A"}, {"outputs": "B"}, {"claims": "C"}, {"page": "D"}])
def test_the_exit_code_says_whether_anything_is_wrong(monkeypatch, capsys, wrong):
    found = [one_page.Part(name, 0.1, "x", wrong.get(name, "")) for name in ("checks", "outputs", "claims", "page")]
    monkeypatch.setattr(one_page, "parts", lambda _: iter(found))
    assert command.main(["page", "junior/autograd/zero-grad"]) == bool(wrong)
    printed = capsys.readouterr()
    assert len(LINE.findall(printed.out)) == 4
    assert printed.err == "".join(f"\n{name}:\n{text}\n" for name, text in wrong.items())


@pytest.mark.parametrize("name", ["", "junior/autograd/gone", "zero-grad", "junior/autograd", "practice/write/gone"])
def test_an_unknown_page_says_the_forms(name, capsys):
    assert command.main(["page", name]) == 1
    assert f"Q={name}: There is no such page. Write level/topic/slug" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "programs", "tests", "shown"),
    [
        (
            "junior/autograd/no-grad",
            ["junior/autograd/no_grad.py"],
            ["docs/junior/autograd/no-grad.md", "tests/snippets/junior/autograd/test_no_grad.py"],
            "junior/autograd/no-grad.md",
        ),
        (
            "practice/predict/a-batch-of-lists",
            ["practice/predict/a_batch_of_lists.py"],
            ["docs/practice/predict/a-batch-of-lists.md"],
            "practice/predict.md",
        ),
        (
            "practice/write/causal-attention",
            [],
            ["docs/practice/write/causal-attention.md", "tests/write/test_judges.py", "-k", "causal-attention"],
            "practice/write/causal-attention.md",
        ),
        (
            "practice/trainers/memory-grows",
            [f"practice/trainers/memory-grows/{name}.py" for name in ("broken", "curves", "fixed", "symptom")],
            [
                "docs/practice/trainers/memory-grows.md",
                "tests/trainers/test_memory_grows.py",
                "tests/trainers/test_trainers.py",
                "-k",
                "memory-grows or memory_grows",
            ],
            "practice/trainers/memory-grows.md",
        ),
        ("labs/attention-cost", [], ["tests/test_labs.py", "-k", "attention-cost"], "labs/attention-cost.ipynb"),
        ("about/verified", [], ["docs/about/verified.md"], "about/verified.md"),
        ("junior/index", [], ["docs/junior/index.md"], "junior/index.md"),
    ],
)
@pytest.mark.parametrize("form", ["{}", "docs/{}.md"])
def test_what_belongs_to_a_page(name, programs, tests, shown, form):
    target = one_page.find(form.format(name))
    assert {*programs} <= {path.relative_to(SNIPPETS).as_posix() for path in target.programs}
    assert bool(programs) == bool(target.programs)
    assert (target.id, target.tests, target.shown) == (name, tests, shown)
    assert target.path.is_relative_to(DOCS)
    assert all((ROOT / test).is_file() for test in target.tests if test.startswith("tests/"))


@pytest.mark.parametrize(
    ("place", "message", "own"),
    [
        ("docs/junior/autograd/zero-grad.md", "", True),
        ("snippets/junior/autograd/zero_grad.py", "", True),
        ("snippets/junior/autograd/zero_grad.torch-from-2.12.out", "", True),
        ("snippets/junior/autograd/zero_grad_none.out", "", True),
        ("tests/snippets/junior/autograd/test_zero_grad.py", "", True),
        ("snippets/junior/autograd/zero_grad_spare.py", "No page shows this snippet.", True),
        ("docs/junior/sheet.md", "junior/autograd/zero-grad has no line.", True),
        ("docs/junior/autograd/index.md", "order does not name 'zero-grad'.", True),
        ("docs/junior/autograd/index.md", "order does not name 'zero-grad-two'.", False),
        ("docs/junior/sheet.md", "junior/autograd/zero-grad-two has no line.", False),
        ("docs/junior/autograd/no-grad.md", "Unknown kind.", False),
        ("snippets/junior/autograd/zero_grad_two.py", "It is not Python.", False),
        ("snippets/junior/autograd/orphan.py", "No page shows this snippet.", False),
    ],
)
def test_which_problems_are_those_of_a_page(place, message, own):
    assert one_page.find("junior/autograd/zero-grad").owns(Problem(place, 1, message)) is own


def test_a_folder_of_its_own_is_a_page_s():
    target = one_page.find("practice/write/causal-attention")
    assert target.owns(Problem("snippets/practice/write/causal-attention/also/new.py", 1, ""))
    assert not target.owns(Problem("snippets/practice/write/causal-attention-two/solution.py", 1, ""))
