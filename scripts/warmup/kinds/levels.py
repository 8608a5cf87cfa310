"""The whole content: questions by level and topic, in the order in which the site shows them, and all practice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from warmup import vocabulary
from warmup.content.page import Page
from warmup.content.schema import Field
from warmup.kinds import exercises, puzzles, trainers
from warmup.kinds.drills import C, Drill
from warmup.kinds.entry import Entry
from warmup.kinds.exercises import Exercise
from warmup.kinds.questions import Question
from warmup.kinds.sheets import NAME as SHEET
from warmup.kinds.sheets import Sheet
from warmup.kinds.trainers import Trainer
from warmup.project import DOCS, Problem, ProblemError, relative

P = TypeVar("P", bound=Page)


@dataclass(eq=False)
class Index(Page):
    """A topic's index page."""

    schema = {"title": Field(required=True), "order": Field(list)}

    @property
    def order(self) -> list[str]:
        """The slugs of its questions, in the order in which to show them."""
        return self.meta.get("order") or []


@dataclass(eq=False)
class LevelIndex(Page):
    """A level's index page, whose front matter says what is in the plans for the level."""

    schema = {"title": Field(required=True), "hours": Field(list), "days": Field(list)}

    @property
    def hours(self) -> list[str]:
        """The ids of the questions for somebody who has two hours."""
        return self.meta.get("hours") or []

    @property
    def days(self) -> list[str]:
        """The ids of the questions, exercises and trainers that somebody who has two days adds to them."""
        return self.meta.get("days") or []


@dataclass
class Topic:
    """A folder of questions with its index page."""

    index: Index
    questions: list[Question]

    @property
    def level(self) -> str:
        return self.index.path.parts[-3]

    @property
    def slug(self) -> str:
        return self.index.path.parts[-2]

    @property
    def id(self) -> str:
        """The name that no other topic has: two levels may share a slug."""
        return f"{self.level}/{self.slug}"

    @property
    def label(self) -> str:
        return vocabulary.label(self.slug)

    @property
    def url(self) -> str:
        return f"{self.id}/"


@dataclass
class Level:
    """A level with its topics, in the order in which ``mkdocs.yml`` lists their folders, and its cheat sheet."""

    slug: str
    topics: list[Topic]
    index: LevelIndex | None = None
    sheet: Sheet | None = None

    @property
    def label(self) -> str:
        return vocabulary.label(self.slug)

    @property
    def url(self) -> str:
        return f"{self.slug}/"

    @property
    def questions(self) -> list[Question]:
        return [q for t in self.topics for q in t.questions]


@dataclass
class Site:
    """All questions, by level and topic, the problems found while reading them, puzzles, exercises and trainers."""

    levels: list[Level]
    problems: list[Problem]
    puzzles: list[puzzles.Puzzle] = field(default_factory=list)
    exercises: list[Exercise] = field(default_factory=list)
    trainers: list[Trainer] = field(default_factory=list)

    @cached_property
    def questions(self) -> list[Question]:
        return [q for level in self.levels for q in level.questions]

    @cached_property
    def by_id(self) -> dict[str, Question]:
        return {q.id: q for q in self.questions}

    def first(self, url: str) -> Entry | None:
        """The first page of the level, topic, exercises or trainers whose index has this address; None elsewhere."""
        groups: list[tuple[str, list[Question] | list[Exercise] | list[Trainer]]] = [
            *((level.url, level.questions) for level in self.levels),
            *((topic.url, topic.questions) for level in self.levels for topic in level.topics),
            (f"{Exercise.folder_of_all}/", self.exercises),
            (f"{Trainer.folder_of_all}/", self.trainers),
        ]
        return next((pages[0] for address, pages in groups if address == url and pages), None)

    @property
    def drills(self) -> list[Drill]:
        """Exercises, then trainers."""
        return [*self.exercises, *self.trainers]

    @cached_property
    def drills_by_id(self) -> dict[str, Drill]:
        return {one.id: one for one in self.drills}

    @cached_property
    def exercises_by_topic(self) -> dict[str, list[Exercise]]:
        return _grouped(exercises.TOPICS, self.exercises, lambda one: one.topic)

    @cached_property
    def trainers_by_level(self) -> dict[str, list[Trainer]]:
        """By the level as people write it."""
        return _grouped(map(vocabulary.label, vocabulary.LEVELS), self.trainers, lambda one: one.level_label)

    @cached_property
    def tags(self) -> dict[str, int]:
        """How many questions have a tag, by tag, as far as several have it: a list of one needs no filter."""
        counts = Counter(tag for question in self.questions for tag in dict.fromkeys(question.tags))
        return {tag: count for tag, count in sorted(counts.items(), key=_without_case) if count > 1}

    @cached_property
    def plots(self) -> list[str]:
        """The plots that pages show, below ``snippets/``."""
        shown = (include.path for page in (*self.questions, *self.drills) for include in page.includes)
        return list(dict.fromkeys(path for path in shown if path.endswith(".svg")))

    @cached_property
    def snippets(self) -> list[str]:
        """The programs that questions show, below ``snippets/``."""
        return list(dict.fromkeys(s for q in self.questions for s in q.snippets))


def _without_case(item: tuple[str, int]) -> tuple[str, str]:
    """By what a tag and its count are sorted."""
    return item[0].casefold(), item[0]


def _grouped(names: Iterable[str], pages: list[C], name_of: Callable[[C], str]) -> dict[str, list[C]]:
    """Pages by a name, in the order of ``names``; groups of other names follow, empty ones are left out."""
    groups: dict[str, list[C]] = {name: [] for name in names}
    for page in pages:
        groups.setdefault(name_of(page), []).append(page)
    return {name: found for name, found in groups.items() if found}


def load(docs: Path = DOCS, topic_order: Iterable[str] = ()) -> Site:
    """Read every question, puzzle, exercise and trainer below ``docs``.

    Args:
        docs: the documentation folder.
        topic_order: topics as ``level/topic``, in the order to show them; others follow by name.

    Returns:
        The site; a page that cannot be read is left out and named in ``problems``.
    """
    order = {name: i for i, name in enumerate(topic_order)}
    problems: list[Problem] = []
    levels = []
    for level in vocabulary.LEVELS:
        topics = []
        folders = [f for f in (docs / level).glob("*/") if any(f.glob("*.md"))]
        for folder in sorted(folders, key=lambda f: (order.get(f"{f.parent.name}/{f.name}", len(order)), f.name)):
            topic = _load_topic(folder, problems)
            if topic:
                topics.append(topic)
        if topics:
            index, sheet = (
                _load(LevelIndex, docs / level / "index.md", problems),
                _load(Sheet, docs / level / SHEET, problems),
            )
            levels.append(Level(level, topics, index, sheet))
    site = Site(levels, problems)
    in_order = site.questions
    for before, question, after in zip([None, *in_order], in_order, [*in_order[1:], None], strict=False):
        question.previous, question.next = before, after
        question.related = [site.by_id[r] for r in question.meta.get("related") or [] if r in site.by_id]
        question.practice = []
    site.puzzles = puzzles.load(docs, site.by_id, problems)
    site.exercises = exercises.load(docs, site.by_id, problems)
    site.trainers = trainers.load(docs, site.by_id, problems)
    return site


def _load(kind: type[P], path: Path, problems: list[Problem]) -> P | None:
    """The page of this kind at ``path``; None where there is none, or where ``problems`` now says what is wrong."""
    try:
        return kind.read(path) if path.is_file() else None
    except ProblemError as error:
        problems.append(error.problem)
        return None


def _load_topic(folder: Path, problems: list[Problem]) -> Topic | None:
    questions: dict[str, Question] = {}
    index: Index | None = None
    for path in sorted(folder.glob("*.md")):
        try:
            if path.name == "index.md":
                index = Index.read(path)
            else:
                questions[path.stem] = Question.read(path)
        except ProblemError as error:
            problems.append(error.problem)
    if index is None:
        if not (folder / "index.md").exists():
            fix = "Write one, with title and order in its front matter."
            problems.append(Problem(relative(folder / "index.md"), 0, "The topic has no index page.", fix))
        return None
    listed = [questions[slug] for slug in dict.fromkeys(index.order) if slug in questions]
    ordered = [*listed, *(question for question in questions.values() if question not in listed)]
    return Topic(index, ordered)
