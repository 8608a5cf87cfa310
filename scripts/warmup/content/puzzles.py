"""Puzzles: short programs whose output one predicts.

A puzzle is one Markdown file at ``docs/practice/predict/<slug>.md``; its text is the why. Its program stands at
``snippets/practice/predict/<stem>.py``, the stem being the slug with underscores. The key is what a run of the program
printed. Each wrong choice is what a run of a variant (``<stem>__<variant>.py``) printed, or a text to which a named
misconception leads.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warmup.content.page import Page
from warmup.content.questions import Question
from warmup.content.schema import Field
from warmup.project import Problem, ProblemError

FOLDER = "practice/predict"
# Of variant and text it has one.
CHOICE = {"variant": Field(), "text": Field(), "because": Field(required=True)}


@dataclass(frozen=True)
class Choice:
    """A wrong choice: the output of the program ``variant`` (a name below ``snippets/``), or else ``text``."""

    variant: str
    text: str
    because: str

    def output(self, snippets: Path) -> str:
        return text_of(snippets, output_of(self.variant)) if self.variant else self.text


@dataclass(eq=False)
class PuzzlePage(Page):
    """The file of a puzzle."""

    schema = {
        "title": Field(required=True),
        "question": Field(required=True),
        "choices": Field(list, required=True, called="choice", each=CHOICE),
    }


@dataclass(eq=False)
class Puzzle:
    """A puzzle's page, and the question that explains it; None where there is no such question."""

    page: PuzzlePage
    question: Question | None

    @property
    def slug(self) -> str:
        return self.page.path.stem

    @property
    def stem(self) -> str:
        return f"{FOLDER}/{self.slug.replace('-', '_')}"

    @property
    def program(self) -> str:
        """The program's file below ``snippets/``."""
        return f"{self.stem}.py"

    @property
    def output(self) -> str:
        """The file below ``snippets/`` that holds what the program printed."""
        return output_of(self.program)

    @property
    def why(self) -> str:
        return "\n".join(line.text for line in self.page.lines).strip()

    @cached_property
    def choices(self) -> list[Choice]:
        """The wrong choices, in the order of the front matter; what is no mapping there is left out."""
        listed = self.page.meta.get("choices")
        return [
            Choice(
                variant=f"{self.stem}__{one['variant']}.py" if one.get("variant") else "",
                text=str(one.get("text", "")).rstrip("\n"),
                because=str(one.get("because", "")),
            )
            for one in (listed if isinstance(listed, list) else [])
            if isinstance(one, dict)
        ]

    @property
    def files(self) -> set[str]:
        """Programs and outputs that the puzzle shows, below ``snippets/``."""
        programs = {self.program, *(choice.variant for choice in self.choices if choice.variant)}
        return programs | {output_of(name) for name in programs}

    def shuffled(self, snippets: Path) -> list[tuple[str, Choice | None]]:
        """The key, with None, among the wrong choices, each with its output.

        The order depends on the slug and the outputs alone: where the key stands says nothing, and each build puts it
        there again.
        """
        outputs = [(text_of(snippets, self.output), None), *((one.output(snippets), one) for one in self.choices)]
        return sorted(outputs, key=lambda one: hashlib.sha256(f"{self.slug}\n{one[0]}".encode()).digest())


def squeeze(output: str) -> str:
    """An output without the spacing that does not count: ``[1,2]`` is ``[ 1, 2 ]``, but ``1 2`` is not ``12``.

    practice/predict/puzzles.js compares what is typed in the same way.
    """
    return re.sub(r" ?([\[\](){},:=]) ?", r"\1", " ".join(output.split()))


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Puzzle]:
    """Read every puzzle below ``docs``, in the order of the questions that explain them.

    Args:
        docs: the documentation folder.
        questions: all questions by id, in the site's order.
        problems: takes what is wrong with a file that cannot be read.
    """
    found = []
    for path in sorted((docs / FOLDER).glob("*.md")):
        try:
            page = PuzzlePage.read(path)
        except ProblemError as error:
            problems.append(error.problem)
        else:
            found.append(Puzzle(page, questions.get(str(page.meta.get("question")))))
    rank = {name: number for number, name in enumerate(questions)}
    return sorted(found, key=lambda one: rank[one.question.id] if one.question else len(rank))


def output_of(program: str) -> str:
    return program.removesuffix(".py") + ".out"


def text_of(snippets: Path, name: str) -> str:
    """A file's text without its last line break; empty where there is no such file."""
    path = snippets / name
    return path.read_text(encoding="utf-8").rstrip("\n") if path.is_file() else ""
