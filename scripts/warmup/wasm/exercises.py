"""Exercises in a browser that has torch: a judge and what it judges are one program.

The starter of an exercise gets a button if the judge accepted the solution when all programs were tried.
"""

from __future__ import annotations

from pathlib import Path

from warmup.content import one_file, sources
from warmup.kinds import exercises
from warmup.project import SNIPPETS

# page/browser.js makes the same of what a reader has written.
_PROGRAM = """\
import sys
import types

judge = sys.modules["judge"] = types.ModuleType("judge")
judge.__file__ = "judge.py"
exec(compile({judge!r}, "judge.py", "exec"), vars(judge))
verdict = judge.judge.judge({solution!r}, "solution.py")
print(judge.told(judge.judge, verdict))
raise SystemExit(not verdict.passed)
"""


def starters(snippets: Path = SNIPPETS) -> list[Path]:
    """The files that readers of exercises begin with."""
    return sorted((snippets / exercises.FOLDER).glob("*/starter.py"))


def is_starter(path: Path) -> bool:
    """Whether a snippet is the starter of an exercise."""
    return path.name == "starter.py" and path.as_posix().rsplit("/", 2)[0].endswith(exercises.FOLDER)


def text(path: Path) -> str:
    """The program that is tried for a snippet: itself, or for a starter the judge with the solution beside it.

    Raises:
        ProblemError: the judge is damaged.
    """
    if not is_starter(path):
        return sources.text(path)
    solution = path.with_name("solution.py").read_text(encoding="utf-8")
    return _PROGRAM.format(judge=one_file.assembled(path.with_name("judge.py")), solution=solution)
