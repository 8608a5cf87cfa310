"""A checkout has the bytes that were committed, whatever Git is set to: outputs are compared to the last byte."""

from __future__ import annotations

import os
import subprocess

import pytest

from warmup.project import ROOT

if not (ROOT / ".git").exists():
    pytest.skip("needs a Git checkout", allow_module_level=True)


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Git as somebody with no settings of their own has it; a checkout may belong to another user."""
    settings = tmp_path / "gitconfig"
    settings.write_text("[safe]\n\tdirectory = *\n")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments, cwd=ROOT):
        return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout

    return run


def line_ends(git, cwd):
    """``(in the index, in the working tree, path)`` of every file."""
    for line in git("ls-files", "--eol", cwd=cwd).splitlines():
        kinds, _, path = line.partition("\t")
        index, tree, *_ = kinds.split()
        yield index.removeprefix("i/"), tree.removeprefix("w/"), path


def test_no_text_is_committed_with_carriage_returns(git):
    found = list(line_ends(git, ROOT))
    assert len(found) > 500
    assert [path for index, _, path in found if index in ("crlf", "mixed")] == []


def test_a_clone_has_no_carriage_returns_where_git_is_set_to_add_them(git, tmp_path):
    clone = tmp_path / "clone"
    git("clone", "--quiet", "-c", "core.autocrlf=true", str(ROOT), str(clone))
    found = list(line_ends(git, clone))
    assert len(found) > 500
    assert [path for _, tree, path in found if tree in ("crlf", "mixed")] == []
    snippet = "junior/autograd/zero_grad.out"
    assert b"\r" not in (clone / "snippets" / snippet).read_bytes()
