"""What pages have in common on which somebody writes or mends code that is then judged.

Such a page stands at ``docs/practice/<kind>/<slug>.md``; its files in a folder of the same name below ``snippets/``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypeVar

from warmup.content import markdown, mistakes, one_file, sources
from warmup.content.mistakes import Mistake
from warmup.content.schema import Field
from warmup.kinds import anatomy, follow_ups, markup
from warmup.kinds.entry import LABEL, Entry
from warmup.kinds.questions import Question
from warmup.project import Problem, ProblemError, relative
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
        spoiler_of_all: what stands on the fold around what gives the solution away.
        shared_by_all: what the judges of all pages import, below ``snippets/``.
        onward: what comes after the last page: its address below the site's root, and what one is told of it.
        module: the script of each page below ``docs/assets/javascripts/``, without its ending.
        hints_of_all: how many hints each page gives, at least and at most.
        markers_of_all: its markers, each with the section in which it stands.
        asked_alone: whether a mock interview asks its follow-ups of somebody who does not see the page.
    """

    folder_of_all: ClassVar[str]
    label_of_all: ClassVar[str]
    sections_of_all: ClassVar[tuple[str, ...]]
    invitation: ClassVar[str]
    spoiler_of_all: ClassVar[str]
    shared_by_all: ClassVar[str]
    onward: ClassVar[tuple[str, str]]
    module: ClassVar[str] = "practice/attempt"
    hints_of_all: ClassVar[tuple[int, int]]
    markers_of_all: ClassVar[dict[str, str]]
    asked_alone: ClassVar[bool] = False

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

    @property
    def changed(self) -> str:
        """The program below ``snippets/`` that its mistakes are changes of."""
        raise NotImplementedError

    def problems_of_its_kind(self, snippets: Path) -> Iterator[Problem]:
        """What is wrong with it that no other kind could have."""
        yield from ()

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


FOLLOW_UPS = (1, 9)


def problems(page: Drill, snippets: Path) -> Iterator[Problem]:
    """Every problem of one exercise or trainer; ``snippets`` is the folder below which its files stand."""
    yield from page.unfit
    for line, message, fix in _page(page, snippets):
        yield Problem(relative(page.path), line, message, fix)
    yield from _files(page, snippets)
    yield from page.problems_of_its_kind(snippets)


def _page(page: Drill, snippets: Path) -> markup.Found:
    yield from anatomy.related(page)
    yield from anatomy.sections(page, page.sections_of_all, page.sections_of_all)
    yield from anatomy.folds(page, "Hints", page.hints, "tip", "hints", *page.hints_of_all)
    yield from anatomy.folds(page, "They ask next", page.follow_ups, "question", "follow-ups", *FOLLOW_UPS)
    if page.asked_alone:
        yield from anatomy.follow_ups_alone(page, page.follow_ups)
        # Of others a mock interview asks any two.
        if page.level == LEVELS[0] and len(page.follow_ups) > follow_ups.FIRST:
            yield from follow_ups.problems(page)
    yield from anatomy.shown_as_written(page)
    yield from anatomy.grades(page, page.grades)
    yield from anatomy.includes(page, snippets)
    yield from markup.folds(page.lines)
    yield from markup.scripts(page.lines)
    for name, title in page.markers_of_all.items():
        section = page.section(title)
        found = [line for line in section.lines if line.marker and line.marker["name"] == name] if section else []
        if section and len(found) != 1:
            yield (
                section.line,
                f"{title!r} has the marker warmup:{name} {len(found)} times.",
                f"Write it once, on a line of its own: <!-- warmup:{name} -->",
            )


def _files(page: Drill, snippets: Path) -> Iterator[Problem]:
    """Files that are missing, too wide for a page, or not fit to be put together."""
    if not (listed := snippets / page.id / mistakes.FILE).is_file():
        yield Problem(relative(listed), 0, "It does not exist.", f"{relative(page.path)} needs it.")
    for name in page.programs(snippets):
        path = snippets / name
        if sources.is_made(path):
            if path.is_file():
                fix = f"Delete it: its text is made of {' and '.join(file.name for file in sources.files(path))}."
                yield Problem(relative(path), 0, "Nothing reads this file.", fix)
            continue
        if not path.is_file():
            yield Problem(relative(path), 0, "It does not exist.", f"{relative(page.path)} needs it.")
            continue
        rows = path.read_text(encoding="utf-8", errors="replace").split("\n")
        # What is right in another form is on no page.
        shown = name != page.judge and "/also/" not in name
        for number, row in enumerate(rows if shown else [], 1):
            if len(row) > markup.COLUMNS:
                yield Problem(relative(path), number, *markup.too_wide(len(row)))
    if (snippets / page.judge).is_file() and sources.exists(snippets / page.answer) and listed.is_file():
        try:
            one_file.assembled(snippets / page.judge)
            sources.text(snippets / page.answer)
            yield from _mistakes(page, snippets)
        except ProblemError as error:
            yield error.problem
        except UnicodeDecodeError:
            pass  # reported elsewhere


def _mistakes(page: Drill, snippets: Path) -> Iterator[Problem]:
    """Mistakes that share a name, or of which the page could not show what each alone changes."""
    found, programs = page.mistakes(snippets), mistakes.programs(snippets / page.id)
    where = relative(snippets / page.id / mistakes.FILE)
    beside = snippets / page.changed
    known = {*beside.read_text(encoding="utf-8").split("\n")}
    if not found:
        yield Problem(where, 0, "There is no mistake here.", f"{Path(page.judge).name} is tried on at least one.")
    for number, mistake in enumerate(found):
        if mistake.name in {other.name for other in found[:number]}:
            yield Problem(where, mistake.line, f"There are two mistakes named {mistake.name}.", "Rename one.")
        try:
            ast.parse(programs[mistake.name])
        except (SyntaxError, ValueError) as error:
            yield Problem(where, mistake.line, f"What comes of it is no Python: {error}.", "Mend it.")
        # Of its own lines: those of the program are looked at there.
        if (width := max(map(len, {*programs[mistake.name].split("\n")} - known), default=0)) > markup.COLUMNS:
            yield Problem(where, mistake.line, *markup.too_wide(width))
