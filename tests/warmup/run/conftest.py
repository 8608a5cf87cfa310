"""A runner, and snippets to run."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

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
