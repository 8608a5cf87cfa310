"""Which versions of torch all outputs and claims were last seen to hold with: ``tests/versions.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from warmup.project import ROOT

FILE = Path("tests") / "versions.json"


@dataclass(frozen=True)
class Seen:
    """One run of everything that depends on torch, without a failure.

    torch, python: versions. day: when, as 2026-11-22. outputs: recorded outputs that agreed. claims: tests that passed,
    one for each set of parameters.
    """

    torch: str
    python: str
    day: str
    outputs: int
    claims: int


def read(root: Path = ROOT) -> list[Seen]:
    """The versions that were seen to hold, oldest torch first."""
    file = root / FILE
    return [Seen(**one) for one in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []
