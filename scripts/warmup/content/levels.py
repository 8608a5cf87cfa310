"""The whole content: questions by level and topic, in the order in which the site shows them, and all practice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from warmup import vocabulary
from warmup.content import exercises, puzzles, trainers
from warmup.content.coding import C, Coding
from warmup.content.exercises import Exercise
from warmup.content.page import Page
from warmup.content.questions import Question
from warmup.content.sheets import NAME as SHEET
from warmup.content.sheets import Sheet
from warmup.content.trainers import Trainer
from warmup.project import DOCS, Problem, ProblemError, relative


@dataclass(eq=False)
class Index(Page):
    """A topic's index page."""

    types = {"title": str, "order": list}

    @property
    def order(self) -> list[str]:
        """The slugs of its questions, in the order in which to show them."""
        return self.meta.get("order") or []


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

    @property
    def coding(self) -> list[Coding]:
        """Exercises, then trainers."""
        return [*self.exercises, *self.trainers]

    @cached_property
    def coding_by_id(self) -> dict[str, Coding]:
        return {one.id: one for one in self.coding}

    @cached_property
    def exercises_by_topic(self) -> dict[str, list[Exercise]]:
        return _grouped(exercises.TOPICS, self.exercises, lambda one: one.topic)

    @cached_property
    def trainers_by_level(self) -> dict[str, list[Trainer]]:
        """By the level as people write it."""
        return _grouped(map(vocabulary.label, vocabulary.LEVELS), self.trainers, lambda one: one.level_label)

    @cached_property
    def tags(self) -> list[str]:
        return sorted({tag for q in self.questions for tag in q.tags})

    @cached_property
    def plots(self) -> list[str]:
        """The plots that pages show, below ``snippets/``."""
        shown = (include.path for page in (*self.questions, *self.coding) for include in page.includes)
        return list(dict.fromkeys(path for path in shown if path.endswith(".svg")))

    @cached_property
    def snippets(self) -> list[str]:
        """The programs that questions show, below ``snippets/``."""
        return list(dict.fromkeys(s for q in self.questions for s in q.snippets))


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
            levels.append(Level(level, topics, _load_sheet(docs / level / SHEET, problems)))
    site = Site(levels, problems)
    for question in site.questions:
        question.related = [site.by_id[r] for r in question.meta.get("related") or [] if r in site.by_id]
        question.practice = []
    site.puzzles = puzzles.load(docs, site.by_id, problems)
    site.exercises = exercises.load(docs, site.by_id, problems)
    site.trainers = trainers.load(docs, site.by_id, problems)
    return site


def _load_sheet(path: Path, problems: list[Problem]) -> Sheet | None:
    try:
        return Sheet.read(path) if path.exists() else None
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
    for before, after in zip([None, *ordered], [*ordered, None], strict=True):
        if before:
            before.next = after
        if after:
            after.previous = before
    return Topic(index, ordered)
