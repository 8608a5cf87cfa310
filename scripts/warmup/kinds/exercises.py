"""Exercises: code that one writes from memory, and a judge that says whether it is right.

An exercise is a page at ``docs/practice/write/<slug>.md`` and a folder of the same name below ``snippets/``: what one
begins with, the judge, a solution, the mistakes that people make in it, and right solutions of another form.
``judging.py`` beside the folders is what all judges share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from warmup.content import mistakes
from warmup.content.schema import Field
from warmup.kinds import drills
from warmup.kinds.drills import Drill
from warmup.kinds.questions import Question
from warmup.project import Problem, relative

FOLDER = "practice/write"
MOST_LINES = 12  # of a core line that a formatter has wrapped
STEPS = "A GPT in ten steps"  # whose ranks are the steps; their pages follow one another
TOPICS = ("Attention and inference", "Losses", "Layers", "Training", "Data and classics", STEPS)


@dataclass(eq=False)
class Exercise(Drill):
    """An exercise's page."""

    schema = {
        **drills.FRONT_MATTER,
        "topic": Field(required=True, one_of=TOPICS),
        "rank": Field(int),
        "core": Field(dict, required=True, each={"ask": Field(required=True), "line": Field(required=True)}),
    }
    folder_of_all = FOLDER
    label_of_all = "Write from memory"
    sections_of_all = ("Task", "Hints", "Solution", "They ask next", "Listening for", "Sources")
    hints_of_all = (2, 3)
    markers_of_all = {"attempt": "Task", "mistakes": "Solution"}
    asked_alone = True
    invitation = "Write it from memory"
    spoiler_of_all = "It gives the solution away: open it when you have written yours"
    shared_by_all = f"{FOLDER}/judging.py"
    onward = ("practice/trainers/", "Broken trainers: find what is wrong with a script")

    @property
    def rank(self) -> int | None:
        """Its place among all exercises, from 1; None for those that come last."""
        return self.meta.get("rank")

    @property
    def ask(self) -> str:
        """The question after its heart."""
        return str(self._core("ask"))

    @property
    def line(self) -> str:
        """The heart of the solution: a line, or a few."""
        return str(self._core("line")).rstrip("\n")

    def _core(self, key: str) -> object:
        return (self.meta.get("core") or {}).get(key) or ""

    @property
    def judge(self) -> str:
        return f"{self.id}/judge.py"

    @property
    def start(self) -> str:
        return f"{self.id}/starter.py"

    @property
    def answer(self) -> str:
        return f"{self.id}/{mistakes.SOLUTION}"

    @property
    def changed(self) -> str:
        return self.answer

    def also(self, snippets: Path) -> list[Path]:
        """The right solutions of another form."""
        return sorted((snippets / self.id / "also").glob("*.py"))

    def programs(self, snippets: Path) -> list[str]:
        more = (path.relative_to(snippets).as_posix() for path in self.also(snippets))
        return [self.start, self.judge, self.answer, *more]

    def problems_of_its_kind(self, snippets: Path) -> Iterator[Problem]:
        """A core line that does not stand in the solution; no right solution of another form."""
        path = snippets / self.answer
        if self.line and path.is_file():
            rows = path.read_text(encoding="utf-8", errors="replace").split("\n")
            line = _squeezed(self.line.split("\n"))
            ends = range(1, MOST_LINES + 1)
            if not any(_squeezed(rows[at : at + count]) == line for at in range(len(rows)) for count in ends):
                yield Problem(
                    relative(self.path),
                    self.line_of("core"),
                    f"The line of core does not stand in snippets/{self.answer}.",
                    "Copy it from there: whole lines; only comments, indentation and line breaks may differ.",
                )
        if not self.also(snippets):
            where = relative(snippets / self.id / "also")
            yield Problem(where, 0, "There is no solution here.", "Its judge is tried on at least one.")


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Exercise]:
    """Read every exercise below ``docs`` in the order of ranks, the steps last; arguments as in ``drills.load``."""
    return drills.load(
        Exercise, docs, questions, problems, lambda one: (one.topic == STEPS, one.rank is None, one.rank or 0)
    )


def _squeezed(rows: list[str]) -> str:
    """Lines of code without comments and spaces."""
    return "".join("".join(re.sub(r"(^|\s)#.*", "", row).split()) for row in rows)
