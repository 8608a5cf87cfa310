"""Broken trainers: training scripts that go wrong, and what is wrong with each.

A trainer is a page at ``docs/practice/trainers/<slug>.md`` and a folder of the same name below ``snippets/``: the
broken script, the mistakes in it, what draws its curves and those of the fixed one, the check of a reader's script, and
the extension. ``checking.py`` beside the folders is what all checks share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warmup.content import mistakes, sources
from warmup.content.schema import Field
from warmup.kinds import drills
from warmup.kinds.drills import Drill
from warmup.kinds.questions import Question
from warmup.project import Problem
from warmup.vocabulary import LEVELS

FOLDER = "practice/trainers"
TOPICS = ("Broken trainers",)
PROGRAMS = (mistakes.BROKEN, sources.FIXED, "check.py", "symptom.py", "curves.py", "extension.py")


@dataclass(eq=False)
class Trainer(Drill):
    """A broken trainer's page."""

    schema = {**drills.FRONT_MATTER, "topic": Field(required=True, one_of=TOPICS)}
    folder_of_all = FOLDER
    label_of_all = "Broken trainers"
    sections_of_all = ("Symptom", "Script", "Hints", "Diagnosis", "They ask next", "Listening for", "Sources")
    hints_of_all = (3, 5)
    markers_of_all = {"check": "Script", "bugs": "Diagnosis"}
    invitation = "Find the bugs"
    spoiler_of_all = "It gives the diagnosis away: open it when you have yours"
    shared_by_all = f"{FOLDER}/checking.py"
    onward = ("practice/mock/", "Mock interview: answer under a clock")

    @property
    def judge(self) -> str:
        return f"{self.id}/check.py"

    @property
    def start(self) -> str:
        return f"{self.id}/{mistakes.BROKEN}"

    @property
    def answer(self) -> str:
        return f"{self.id}/{sources.FIXED}"

    @property
    def changed(self) -> str:
        return self.start

    def programs(self, snippets: Path) -> list[str]:
        return [f"{self.id}/{name}" for name in PROGRAMS]


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Trainer]:
    """Read every trainer below ``docs``, by level and minutes; arguments as in ``drills.load``."""

    def place(trainer: Trainer) -> tuple[int, int]:
        level = LEVELS.index(trainer.level) if trainer.level in LEVELS else len(LEVELS)
        return level, trainer.minutes

    return drills.load(Trainer, docs, questions, problems, place)
