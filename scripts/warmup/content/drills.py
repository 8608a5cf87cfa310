"""What pages have in common on which somebody writes or mends code that is then judged.

Such a page stands at ``docs/practice/<kind>/<slug>.md``; its files in a folder of the same name below ``snippets/``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypeVar

from warmup.content import markdown, mistakes
from warmup.content.entry import LABEL, Entry
from warmup.content.mistakes import Mistake
from warmup.content.questions import Question
from warmup.content.schema import Field
from warmup.project import Problem, ProblemError
from warmup.vocabulary import LEVELS

FRONT_MATTER = {
    "title": Field(required=True),
    "label": LABEL,
    "level": Field(required=True, one_of=LEVELS),
    "topic": Field(required=True),
    "minutes": Field(int, required=True),
    "related": Field(list, required=True),
    "aliases": Field(list),
}


@dataclass(eq=False)
class Drill(Entry):
    """An exercise or a broken trainer.

    Attributes:
        folder_of_all: where all pages of the kind stand, below ``docs/`` and ``snippets/``.
        label_of_all: what the kind is called.
        sections_of_all: the sections of each page, all of which it has, in this order.
        invitation: what a link from a question's page says before the title.
        shared_by_all: what the judges of all pages import, below ``snippets/``.
        onward: what comes after the last page: its address below the site's root, and what one is told of it.
        module: the script of each page below ``docs/assets/javascripts/``, without its ending.
    """

    folder_of_all: ClassVar[str]
    label_of_all: ClassVar[str]
    sections_of_all: ClassVar[tuple[str, ...]]
    invitation: ClassVar[str]
    shared_by_all: ClassVar[str]
    onward: ClassVar[tuple[str, str]]
    module: ClassVar[str] = "practice/attempt"

    @property
    def level(self) -> str:
        return str(self.meta.get("level") or "")

    @property
    def topic(self) -> str:
        return str(self.meta.get("topic") or "")

    @property
    def labels(self) -> list[str]:
        return [self.level_label, *dict.fromkeys((self.label_of_all, self.topic)), f"{self.minutes} min"]

    @property
    def judge(self) -> str:
        """The file below ``snippets/`` that judges what a reader wrote."""
        raise NotImplementedError

    @property
    def start(self) -> str:
        """The file below ``snippets/`` that a reader begins with."""
        raise NotImplementedError

    @property
    def answer(self) -> str:
        """The program below ``snippets/`` that is right."""
        raise NotImplementedError

    def mistakes(self, snippets: Path) -> tuple[Mistake, ...]:
        """What people write instead of the answer, or what is wrong in the start; raises as ``mistakes.read`` does."""
        return mistakes.read(snippets / self.id / mistakes.FILE)

    def programs(self, snippets: Path) -> list[str]:
        """Its programs below ``snippets/``, as far as they are there."""
        raise NotImplementedError

    @cached_property
    def hints(self) -> list[markdown.Fold]:
        return self.folds("Hints", "tip")


C = TypeVar("C", bound=Drill)


def load(
    kind: type[C],
    docs: Path,
    questions: Mapping[str, Question],
    problems: list[Problem],
    order: Callable[[C], tuple],
) -> list[C]:
    """Read all pages of a kind below ``docs``, and link each with its neighbors and its questions.

    Args:
        kind: exercises or trainers.
        docs: the documentation folder.
        questions: all questions by id.
        problems: takes what is wrong with a file that cannot be read.
        order: by what to sort them.
    """
    found: list[C] = []
    for path in sorted((docs / kind.folder_of_all).glob("*.md")):
        if path.name == "index.md":
            continue
        try:
            found.append(kind.read(path))
        except ProblemError as error:
            problems.append(error.problem)
    found.sort(key=lambda one: (*order(one), one.slug))
    for before, one, after in zip([None, *found], found, [*found[1:], None], strict=False):
        one.previous, one.next = before, after
        one.related = [questions[name] for name in one.meta.get("related") or [] if name in questions]
        for question in one.related:
            question.practice.append(one)
    return found
