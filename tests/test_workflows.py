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
    assert lines[0].startswith('if [ -n "$(find . ') and all(line.startswith("git ") for line in lines[1:])
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
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return git


(PUSH,) = (step for step in NOTEBOOKS["steps"] if "run" in step)


@pytest.fixture
def push(git, tmp_path):
    """Runs the step's own text on a folder of notebooks; what it pushes arrives in ``push.remote``."""
    remote = tmp_path / "remote"
    git(f"git init --quiet --bare {remote}", tmp_path)

    def push(folder: Path, commit: str) -> None:
        variables = {name: PUSH["env"][name] for name in PUSH["env"] if name.startswith("GIT_")}
        temp = tmp_path / f"runner-of-{commit}"
        temp.mkdir()
        variables = {name: value.replace("${{ runner.temp }}", str(temp)) for name, value in variables.items()}
        git(PUSH["run"], folder, COMMIT=commit, REMOTE=str(remote), **variables)

    push.remote = remote
    return push


def artifact(folder: Path, notebook: str = "junior/topic/one.ipynb") -> Path:
    """What the job downloads: a folder with one notebook."""
    file = folder / PUSH["working-directory"] / notebook
    file.parent.mkdir(parents=True)
    file.write_text("{}\n")
    return folder / PUSH["working-directory"]


def test_the_branch_is_one_commit_without_a_parent_that_has_this_builds_notebooks_only(git, push, tmp_path):
    for build, name in enumerate(("old", "new")):
        folder = artifact(tmp_path / f"build-{build}", f"junior/topic/{name}.ipynb")
        (folder / "junior" / "run.sh").write_text("true\n")
        (folder / ".gitignore").write_text("*\n")
        push(folder, f"abc{build}")
    assert git("git for-each-ref --format='%(refname)'", push.remote) == f"refs/heads/{BRANCH}\n"
    assert git(f"git log --format=%s/%P {BRANCH}", push.remote) == "Notebooks of abc1/\n"
    assert git(f"git ls-tree -r --name-only {BRANCH}", push.remote) == "junior/topic/new.ipynb\n"


@pytest.fixture
def hostile(git, tmp_path):
    """A downloaded folder with a repository in it whose settings and hooks are commands that leave a mark."""

    def hostile(place: str) -> Path:
        folder, hook = artifact(tmp_path), tmp_path / "hook"
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path / 'mark'}\n")
        hook.chmod(0o755)
        git(f"git init --quiet made && mv made/.git {place} && rmdir made", folder)
        for name in ("pre-commit", "post-commit", "pre-push"):
            git(f"cp {hook} {place}/hooks/{name}", folder)
        git(f"git --git-dir={place} config core.fsmonitor {hook}", folder)
        return folder

    return hostile


@pytest.mark.parametrize("place", [".git", "junior/.git", "junior/topic/.GIT"])
def test_a_repository_in_the_artifact_runs_nothing_and_is_refused(git, push, hostile, tmp_path, place):
    with pytest.raises(AssertionError, match=r"The notebooks hold a \.git"):
        push(hostile(place), "abc")
    assert not (tmp_path / "mark").exists()
    assert git("git for-each-ref", push.remote) == ""


def test_even_without_the_refusal_git_uses_no_repository_of_the_artifact(git, push, hostile, tmp_path, monkeypatch):
    monkeypatch.setitem(PUSH, "run", PUSH["run"].partition("\n")[2])
    push(hostile(".git"), "abc")
    assert not (tmp_path / "mark").exists()
    assert git(f"git ls-tree -r --name-only {BRANCH}", push.remote) == "junior/topic/one.ipynb\n"


def test_what_is_published_is_built_from_hashed_files_and_no_cache():
    steps = WORKFLOWS["pages"]["jobs"]["build"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[0] == "make .venv/.hashed"
    settings = [step.get("with", {}) for step in steps]
    assert not [one for one in settings if "cache" in one], "another job could write it"
    assert not [step for step in steps if "cache" in step.get("uses", "")]
    # Nothing is left for the targets that come after it to install.
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rule = makefile.partition("$(VENV)/.hashed:")[2].partition("\n\n")[0]
    assert "--require-hashes --only-binary :all: -r hashes.txt" in rule
    assert "@touch $(VENV)/.site $(VENV)/.pdf $@" in rule


def test_programs_of_others_run_in_no_job_that_builds_and_their_failure_stops_nothing():
    jobs = WORKFLOWS["pages"]["jobs"]
    runs = {name: [step.get("run", "") for step in job["steps"]] for name, job in jobs.items()}
    assert [name for name in jobs if "make wasm STEP=run" in runs[name]] == ["programs"]
    assert jobs["programs"]["permissions"] == {"contents": "read"}
    steps = {step["id"]: step for step in jobs["programs"]["steps"] if "id" in step}
    assert [*steps] == ["fetch", "attest", "check", "run", "kept"]
    for before, (name, step) in zip([None, *steps], steps.items(), strict=False):
        assert step["continue-on-error"] is True, name
        assert step.get("if") == (before and f"${{{{ steps.{before}.outcome == 'success' }}}}"), name
    assert [name for name, step in steps.items() if "GH_TOKEN" in step.get("env", {})] == ["attest"]
    # Without a function of its state, a job is left out where one before it has failed, however far before.
    for name in ("build", "publish", "notebooks"):
        assert "!cancelled()" in jobs[name]["if"], name
    assert jobs["publish"]["needs"] == "build" and "needs.build.result == 'success'" in jobs["publish"]["if"]
    assert "needs.publish.result == 'success'" in jobs["notebooks"]["if"]
    (pdf,) = (step for step in jobs["build"]["steps"] if step.get("run") == "make pdf")
    assert pdf["env"]["WASM"] == "${{ steps.check.outcome == 'success' && 'build/wasm' || '' }}"


def test_once_a_week_somebody_hears_when_a_pinned_file_is_gone():
    workflow = WORKFLOWS["pinned"]
    (cron,) = workflow[True]["schedule"]  # YAML takes `on` for a truth
    assert cron["cron"].split()[2:] == ["*", "*", "2"]
    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step][1:] == [
        "make wasm STEP=fetch",
        "make wasm STEP=attest",
    ]
    assert not [step for step in job["steps"] if "continue-on-error" in step]
