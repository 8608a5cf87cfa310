"""Judges of exercises and checks of broken trainers, in a browser that has torch: each runs with what it judges.

The page of an exercise or a trainer gets a button for it if it accepted the right answer when all programs were tried.
What it printed then is its record: a page knows by that text, and by nothing else, that an attempt has passed.
"""

from __future__ import annotations

from pathlib import Path

from warmup.content import one_file, outputs, sources
from warmup.kinds import exercises, trainers
from warmup.project import SNIPPETS

# Each with the file in which the right answer is.
_ANSWERS = {f"{exercises.FOLDER}/*/judge.py": "solution.py", f"{trainers.FOLDER}/*/check.py": sources.FIXED}


def judges(snippets: Path = SNIPPETS) -> list[Path]:
    """All of them."""
    return sorted(path for pattern in _ANSWERS for path in snippets.glob(pattern))


def is_judge(path: Path) -> bool:
    """Whether a snippet is one."""
    return any(path.match(pattern) for pattern in _ANSWERS)


def answer(judge: Path) -> str:
    """The right answer, without its header.

    Raises:
        OSError: there is none.
        ProblemError: it cannot be made.
    """
    (name,) = (name for pattern, name in _ANSWERS.items() if judge.match(pattern))
    return outputs.without_header(sources.text(judge.with_name(name)))


def text(path: Path) -> str:
    """What is tried of a snippet: a program itself, or a judge with the answer below it.

    Raises:
        ProblemError: the judge is damaged.
    """
    return f"{one_file.assembled(path)}\n{answer(path)}" if is_judge(path) else sources.text(path)
