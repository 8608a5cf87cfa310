"""Exercises: code that one writes from memory, and a judge that says whether it is right.

An exercise is a page at ``docs/practice/write/<slug>.md`` and a folder of the same name below ``snippets/``: what one
begins with, the judge, a solution, wrong ones with the reason in the first line, and right ones of another form.
``judging.py`` beside the folders is what all judges share.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warmup.content import coding
from warmup.content.coding import Coding
from warmup.content.questions import Question
from warmup.project import Problem

FOLDER = "practice/write"
TOPICS = ("Attention and inference", "Losses", "Layers", "Training", "Data and classics")


@dataclass(eq=False)
class Exercise(Coding):
    """An exercise's page."""

    types = {
        "title": str,
        "label": str,
        "level": str,
        "topic": str,
        "minutes": int,
        "rank": int,
        "related": list,
        "core": dict,
        "aliases": list,
    }
    folder_of_all = FOLDER
    label_of_all = "Write from memory"
    sections_of_all = ("Task", "Hints", "Solution", "They ask next", "Listening for", "Sources")
    invitation = "Write it from memory"
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
        return f"{self.id}/solution.py"

    def wrong(self, snippets: Path) -> list[Path]:
        """The wrong solutions."""
        return sorted((snippets / self.id / "wrong").glob("*.py"))

    def also(self, snippets: Path) -> list[Path]:
        """The right solutions of another form."""
        return sorted((snippets / self.id / "also").glob("*.py"))

    def programs(self, snippets: Path) -> list[str]:
        more = (path.relative_to(snippets).as_posix() for path in (*self.wrong(snippets), *self.also(snippets)))
        return [self.start, self.judge, self.answer, *more]


def why_wrong(path: Path) -> str:
    """What a wrong solution's docstring says is wrong with it, in one line; "" where it says nothing."""
    try:
        return " ".join((ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split())
    except (OSError, ValueError, SyntaxError):
        return ""


def without_docstring(code: str) -> str:
    """A program from the first line below its docstring on."""
    body = ast.parse(code).body
    if not body or ast.get_docstring(ast.Module(body[:1], [])) is None:
        return code
    return "\n".join(code.split("\n")[body[0].end_lineno :]).lstrip("\n")


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Exercise]:
    """Read every exercise below ``docs``, in the order of their ranks; arguments as in ``coding.load``."""
    return coding.load(Exercise, docs, questions, problems, lambda one: (one.rank is None, one.rank or 0))
