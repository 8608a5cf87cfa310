"""What was green and has not changed is not run again; all else is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warmup.content import outputs
from warmup.project import ROOT

CLAIMS = "tests/snippets/junior/autograd/test_thing.py"
PROGRAM = "snippets/junior/autograd/thing.py"
TEXTS = {
    PROGRAM: "def two():\n    return 2\n",
    CLAIMS: "from warmup.testing import load_snippet\n\nthing = load_snippet('junior/autograd/thing.py')\n\n\n"
    "class TestThing:\n    def test_it_is_two(self):\n        assert thing.two() == 2\n\n"
    "    def test_it_is_even(self):\n        assert thing.two() % 2 == 0\n",
    # In place of the real one, which takes longer to import than all else here.
    "stub/torch.py": "manual_seed = set_warn_always = id\n",
    "tests/snippets/mid/data/test_other.py": "class TestOther:\n    def test_it(self):\n        pass\n",
}
BOTH, OTHER = 2, 1


class Project:
    """A small project with this one's tools, whose tests are run as `make test` runs them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(ROOT / "scripts", root / "scripts")
        for name in ("pyproject.toml", "tests/conftest.py", f"snippets/{outputs.WATCHING}"):
            self.write(name, (ROOT / name).read_text(encoding="utf-8"))
        for name, text in TEXTS.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1, 1))  # long before the next run begins

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def test(self, *options: str, **variables: str) -> dict[str, int]:
        """Run the tests and count what pytest's last lines count, "left" for those that were not run."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--green=.cache/green.json",
            *options,
        ]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CI", "ALL"))
        }
        environment |= {"PYTHONPATH": f"scripts{os.pathsep}stub", **variables}
        done = subprocess.run(
            [*command, "tests"], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        found = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped)", done.stdout)}
        if left := re.search(r"^(\d+) tests were not run", done.stdout, flags=re.M):
            found["left"] = int(left[1])
        assert done.returncode == bool(found.get("failed")), done.stdout + done.stderr
        return found


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_what_was_green_is_run_again_only_where_something_has_changed(project):
    assert project.test() == {"passed": BOTH + OTHER}
    assert project.test() == {"left": BOTH + OTHER}
    project.edit(PROGRAM, "return 2", "return 1 + 1")
    assert project.test() == {"passed": BOTH, "left": OTHER}
    project.edit(CLAIMS, "is_even", "is_not_odd")
    assert project.test() == {"passed": BOTH, "left": OTHER}
    project.edit("scripts/warmup/vocabulary.py", '"""', '"""\n')
    assert project.test() == {"passed": BOTH + OTHER}
    assert project.test(OMP_NUM_THREADS="2", MKL_CBWR="COMPATIBLE") == {"passed": BOTH + OTHER}


def test_with_workers_it_is_the_same(project):
    assert project.test("-n", "2") == {"passed": BOTH + OTHER}
    project.edit(PROGRAM, "return 2", "return 1 + 1")
    assert project.test("-n", "2") == {"passed": BOTH, "left": OTHER}
    assert project.test("-n", "2") == {"left": BOTH + OTHER}


def test_what_was_red_or_skipped_is_run_again_until_it_is_green(project):
    project.edit(PROGRAM, "return 2", "return 4")
    assert project.test() == {"passed": 1 + OTHER, "failed": 1}
    assert project.test() == {"failed": 1, "left": 1 + OTHER}
    project.edit(CLAIMS, "assert thing.two() == 2", "__import__('pytest').skip('not today')")
    assert project.test() == {"passed": 1, "skipped": 1, "left": OTHER}
    assert project.test() == {"skipped": 1, "left": 1 + OTHER}


def test_what_turns_red_is_forgotten(project):
    """It was green, is run all the same, and fails for a reason outside of all files."""
    project.edit(CLAIMS, "assert thing.two() == 2", "assert 'RED' not in __import__('os').environ")
    assert project.test() == {"passed": BOTH + OTHER}
    assert project.test(ALL="1", RED="1") == {"passed": 1 + OTHER, "failed": 1}
    assert project.test() == {"passed": 1, "left": 1 + OTHER}


@pytest.mark.parametrize("variable", ["CI", "ALL"])
def test_ci_and_who_asks_for_it_run_everything(project, variable):
    assert project.test() == {"passed": BOTH + OTHER}
    assert project.test(**{variable: "true"}) == {"passed": BOTH + OTHER}


def test_a_part_of_the_tests_is_neither_remembered_nor_left_out(project):
    assert project.test("-k", "even") == {"passed": 1}
    assert project.test("-k", "even") == {"passed": 1}
    assert project.test() == {"passed": BOTH + OTHER}


def test_what_is_edited_while_the_tests_run_is_not_remembered(project):
    project.edit(CLAIMS, "assert thing.two() == 2", f"__import__('pathlib').Path({PROGRAM!r}).touch()")
    assert project.test() == {"passed": BOTH + OTHER}
    assert project.test() == {"passed": BOTH, "left": OTHER}


def test_a_file_that_a_test_was_seen_to_open_counts(project):
    project.write("docs/notes.txt", "yes")
    project.edit(
        CLAIMS, "assert thing.two() == 2", "assert __import__('pathlib').Path('docs/notes' + '.txt').read_text()"
    )
    assert project.test() == {"passed": BOTH + OTHER}
    project.write("docs/notes.txt", "no")
    assert project.test() == {"passed": BOTH, "left": OTHER}


def test_a_memory_that_cannot_be_read_is_none(project):
    project.write(".cache/green.json", '{"units": ')
    assert project.test() == {"passed": BOTH + OTHER}
