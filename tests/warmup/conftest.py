"""The sample's content, for tests that read it without building its site."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warmup.project import ROOT
from warmup.testing import SAMPLE


@pytest.fixture
def sample(tmp_path) -> Path:
    """A copy of what the sample's authors wrote: ``docs`` and ``snippets``, beside the pin of torch."""
    shutil.copytree(SAMPLE, tmp_path / "sample")
    return Path(shutil.copy(ROOT / "requirements-test.txt", tmp_path / "sample")).parent
