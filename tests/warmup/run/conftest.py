"""Snippets to run."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warmup.project import ROOT
from warmup.run.emulation import MACHINES, Machine
from warmup.run.record import record


@pytest.fixture
def snippet(tmp_path):
    """Write a snippet; gives its path."""

    def write(code: str, name: str = "x") -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(code))
        return path

    return write


@pytest.fixture
def by_itself():
    """Run code of the tools in a process of its own: this one may have a fork server with another environment."""

    def run(code: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
            capture_output=True,
            text=True,
            timeout=150,
        )

    return run


@pytest.fixture
def on_two_machines(runner, capsys):
    """Record snippets on this machine and on another one, on which WHERE is set: which failed, and what was printed."""

    def recorded(paths: list[Path]) -> tuple[list[bool], str]:
        there = Machine("another machine", {**MACHINES[0].environment, "WHERE": "there"})
        changes = record(paths, machines=[MACHINES[0], there])
        return [change.failed for change in changes], capsys.readouterr().out

    return recorded


@pytest.fixture
def topic(tmp_path) -> Path:
    """A topic's folder of snippets, empty."""
    folder = tmp_path / "snippets/junior/autograd"
    folder.mkdir(parents=True)
    return folder
