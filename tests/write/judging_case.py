"""The exercises to judge, and a judge to import."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path

from warmup.project import SNIPPETS

WRITE = SNIPPETS / "practice" / "write"
SLUGS = sorted(path.parent.name for path in WRITE.glob("*/judge.py"))


@cache
def judge_of(slug: str):
    """The ``Judge`` of an exercise."""
    name = f"judge_{slug.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, WRITE / slug / "judge.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.judge


def solutions(folder: str) -> list[Path]:
    """The files of all exercises in their folder ``also`` or ``wrong``, or named so."""
    return sorted([*WRITE.glob(f"*/{folder}/*.py"), *WRITE.glob(f"*/{folder}.py")])
