"""The exercises to judge, and a judge as readers download it."""

from __future__ import annotations

import sys
import types
from functools import cache
from pathlib import Path

from warmup.content import one_file
from warmup.project import SNIPPETS

WRITE = SNIPPETS / "practice" / "write"
SLUGS = sorted(path.parent.name for path in WRITE.glob("*/judge.py"))


@cache
def module_of(slug: str):
    """The module that the judge of an exercise is, in one file."""
    file = WRITE / slug / "judge.py"
    module = types.ModuleType(f"judge_{slug.replace('-', '_')}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    exec(compile(one_file.assembled(file), file, "exec"), vars(module))
    return module


def judge_of(slug: str):
    """The ``Judge`` of an exercise."""
    return module_of(slug).judge


def wrong_of(slug: str) -> dict[str, str]:
    """The wrong solutions that the judge of an exercise knows, by name."""
    return module_of(slug).WRONG


def solutions(folder: str) -> list[Path]:
    """The files of all exercises in their folder ``also``, or named so."""
    return sorted([*WRITE.glob(f"*/{folder}/*.py"), *WRITE.glob(f"*/{folder}.py")])
