"""Broken trainers: training scripts that go wrong, and what is wrong with each.

A trainer is a page at ``docs/practice/trainers/<slug>.md`` and a folder of the same name below ``snippets/``: the
broken script, the fixed one, what draws their curves, the check of a reader's script, and the extension.
``checking.py`` beside the folders is what all checks share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warmup.content import coding
from warmup.content.coding import Coding
from warmup.content.mistakes import Change
from warmup.content.questions import Question
from warmup.project import Problem
from warmup.vocabulary import LEVELS

FOLDER = "practice/trainers"
TOPICS = ("Broken trainers",)
PROGRAMS = ("broken.py", "fixed.py", "check.py", "symptom.py", "curves.py", "extension.py")


@dataclass(frozen=True)
class Bug:
    """What is wrong, in words, and how it is mended."""

    name: str
    changes: tuple[Change, ...]

    def fix(self, code: str) -> str:
        """The script without this bug.

        Raises:
            CannotApply: a change does not apply.
        """
        for change in self.changes:
            code = change.apply(code)
        return code

    def line(self, code: str) -> int:
        """The first line of the broken script that it touches, from 1; raises as ``fix`` does."""
        return min(change.line(code) for change in self.changes)


@dataclass(eq=False)
class Trainer(Coding):
    """A broken trainer's page."""

    types = {
        "title": str,
        "label": str,
        "level": str,
        "topic": str,
        "minutes": int,
        "related": list,
        "aliases": list,
    }
    folder_of_all = FOLDER
    label_of_all = "Broken trainers"
    sections_of_all = ("Symptom", "Script", "Hints", "Diagnosis", "They ask next", "Listening for", "Sources")
    invitation = "Find the bugs"
    shared_by_all = f"{FOLDER}/checking.py"
    onward = ("practice/mock/", "Mock interview: answer under a clock")

    @cached_property
    def bugs(self) -> list[Bug]:
        """What is wrong, in the order of the front matter; what is no mapping there is left out."""
        return [
            Bug(
                str(one.get("name") or ""),
                tuple(
                    Change(str(change.get("broken") or ""), str(change.get("fixed") or ""))
                    for change in _mappings(one.get("changes"))
                ),
            )
            for one in _mappings(self.meta.get("bugs"))
        ]

    @property
    def judge(self) -> str:
        return f"{self.id}/check.py"

    @property
    def start(self) -> str:
        return f"{self.id}/broken.py"

    @property
    def answer(self) -> str:
        return f"{self.id}/fixed.py"

    def programs(self, snippets: Path) -> list[str]:
        return [f"{self.id}/{name}" for name in PROGRAMS]


def _mappings(value: object) -> list[dict]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Trainer]:
    """Read every trainer below ``docs``, by level and minutes; arguments as in ``coding.load``."""

    def place(trainer: Trainer) -> tuple[int, int]:
        level = LEVELS.index(trainer.level) if trainer.level in LEVELS else len(LEVELS)
        return level, trainer.minutes

    return coding.load(Trainer, docs, questions, problems, place)
