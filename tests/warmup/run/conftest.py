"""A runner, and snippets to run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warmup.project import ROOT
from warmup.run.runner import Runner


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


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
def on_two_machines(by_itself):
    """Record snippets on this machine and on another one, on which WHERE is set: which failed, and what was printed."""

    def record(paths: list[Path]) -> tuple[list[bool], str]:
        done = by_itself(f"""
            import json
            from warmup.run.emulation import MACHINES, Machine
            from warmup.run.record import record
            there = Machine("another machine", {{**MACHINES[0].environment, "WHERE": "there"}})
            changes = record({[str(path) for path in paths]!r}, machines=[MACHINES[0], there])
            print(json.dumps([change.failed for change in changes]))
        """)
        assert done.returncode == 0, done.stderr
        *printed, failed = done.stdout.splitlines()
        return json.loads(failed), "\n".join([*printed, ""])

    return record


@pytest.fixture
def topic(tmp_path) -> Path:
    """A topic's folder of snippets, empty."""
    folder = tmp_path / "snippets/junior/autograd"
    folder.mkdir(parents=True)
    return folder
