"""Changed tests are run where the change is missing, and who reads it learns which of them fail there."""

from __future__ import annotations

import subprocess

import pytest

from warmup.dev import changed_tests

OLD = {
    "pytest.ini": "[pytest]\npythonpath = scripts tests/help\n",
    "scripts/doubling.py": "def double(x):\n    return x + 2\n",
    "tests/test_doubling.py": "from doubling import double\ndef test_two(): assert double(2) == 4\n",
    "tests/test_other.py": "def test_other(): pass\n",
    "tests/test_gone.py": "def test_gone(): pass\n",
}
NEW = {
    "scripts/doubling.py": "def double(x):\n    return 2 * x\n",
    "scripts/halving.py": "def half(x):\n    return x / 2\n",
    "tests/help/numbers_to_try.py": "NUMBERS = [2, 3]\n",
    "tests/test_doubling.py": "import pytest\nfrom doubling import double\nfrom numbers_to_try import NUMBERS\n"
    "@pytest.mark.parametrize('x', NUMBERS)\ndef test_all(x): assert double(x) == 2 * x\n",
    "tests/topic/test_half.py": "from halving import half\ndef test_half(): assert half(2) == 1\n",
    "tests/topic/test_true.py": "class TestTrue:\n    def test_true(self): pass\n",
}


@pytest.fixture
def project(tmp_path):
    """A repository whose HEAD changes what the branch ``base`` has; base has gone on since."""

    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments], cwd=tmp_path, check=True)

    def commit(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        git("add", "--all")
        git("commit", "--quiet", "--message", "one")

    git("init", "--quiet", "--initial-branch=base")
    commit(OLD)
    git("switch", "--quiet", "--create", "change")
    (tmp_path / "tests/test_gone.py").unlink()
    commit(NEW)
    git("switch", "--quiet", "base")
    commit({"tests/test_later.py": "def test_later(): pass\n"})
    git("switch", "--quiet", "change")
    return tmp_path


def test_it_says_of_each_changed_file_which_tests_fail_without_the_change(project, monkeypatch, tmp_path_factory):
    summary = tmp_path_factory.mktemp("job") / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert changed_tests.main("base", project) == 0
    assert summary.read_text().splitlines() == [
        "## Changed tests on the base commit",
        "",
        "- `tests/test_doubling.py`: 1 of 2 fail there",
        "    - `test_all[3]`",
        "- `tests/topic/test_half.py`: 1 of 1 fail there",
        "    - `the whole file`",
        "- `tests/topic/test_true.py`: 0 of 1 fail there, so none shows the change",
    ]
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=project, capture_output=True, text=True, check=True)
    assert len(worktrees.stdout.splitlines()) == 1


def test_without_a_changed_test_it_says_so_and_runs_nothing(project, monkeypatch, capsys):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr(changed_tests, "run", lambda *_: pytest.fail("ran"))
    assert changed_tests.main("HEAD", project) == 0
    assert capsys.readouterr().out.endswith("\nNo test was changed.\n")


def test_a_breakdown_is_an_error_and_leaves_no_tree_behind(project):
    with pytest.raises(RuntimeError, match="git diff: .*nowhere"):
        changed_tests.main("nowhere", project)
    (project / "tests/conftest.py").write_text("raise SystemExit(9)\n")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"], cwd=project, check=True
    )
    with pytest.raises(RuntimeError, match="pytest ended with 9"):
        changed_tests.main("base", project)
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=project, capture_output=True, text=True, check=True)
    assert len(worktrees.stdout.splitlines()) == 1


def test_a_long_list_is_cut():
    text = changed_tests.told({"tests/test_x.py": (30, [f"test_{n}" for n in range(30)])})
    assert text.count("    - `") == changed_tests.SHOWN and text.endswith("    - and 10 more\n")
