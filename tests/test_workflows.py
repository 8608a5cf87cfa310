"""What a workflow may do, and the one step that writes into the repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from warmup.exports.notebooks import BRANCH
from warmup.project import ROOT

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
NOTEBOOKS = WORKFLOWS["pages"]["jobs"]["notebooks"]


def test_only_the_job_that_pushes_notebooks_may_write_into_the_repository():
    writes = set()
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}, name
        for job, settings in workflow["jobs"].items():
            allowed = settings.get("permissions", {})
            assert isinstance(allowed, dict), f"{name}: {job}"
            writes |= {(name, job, right) for right, level in allowed.items() if level == "write"}
    assert writes == {
        ("pages", "notebooks", "contents"),
        ("pages", "publish", "pages"),
        ("pages", "publish", "id-token"),
    }


def test_with_that_permission_nothing_runs_but_git():
    actions = [step["uses"].partition("@")[0] for step in NOTEBOOKS["steps"] if "uses" in step]
    lines = [line for step in NOTEBOOKS["steps"] for line in step.get("run", "").splitlines()]
    assert actions == ["actions/download-artifact"]
    assert lines and all(line.startswith("git ") for line in lines)
    assert NOTEBOOKS["needs"] == "publish"


@pytest.fixture
def git(tmp_path):
    """Runs git in an empty home, without the settings of who tests."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(command: str, folder: Path, **variables: str) -> str:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command],
            cwd=folder,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return git


def test_the_branch_is_one_commit_without_a_parent_that_has_this_builds_notebooks_only(git, tmp_path):
    remote = tmp_path / "remote"
    git(f"git init --quiet --bare {remote}", tmp_path)
    (push,) = (step for step in NOTEBOOKS["steps"] if "run" in step)
    for build, name in enumerate(("old", "new")):
        file = tmp_path / f"build-{build}" / push["working-directory"] / f"junior/topic/{name}.ipynb"
        file.parent.mkdir(parents=True)
        file.write_text("{}\n")
        git(push["run"], file.parents[2], COMMIT=f"abc{build}", REMOTE=str(remote))
    assert git("git for-each-ref --format='%(refname)'", remote) == f"refs/heads/{BRANCH}\n"
    assert git(f"git log --format=%s/%P {BRANCH}", remote) == "Notebooks of abc1/\n"
    assert git(f"git ls-tree -r --name-only {BRANCH}", remote) == "junior/topic/new.ipynb\n"
