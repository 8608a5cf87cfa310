"""What to prepare in two hours, two days or two weeks, for each level.

The front matter of a level's index says which questions are in the shorter plans; the longest has the whole level. All
else is derived: the order is the site's, the days have about equal shares.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from warmup.kinds.drills import Drill
from warmup.kinds.levels import Level, LevelIndex, Site
from warmup.kinds.questions import Question
from warmup.project import Problem, relative

# Each with its name and its number of days, 0 for a single sitting.
TIMES = {"hours": ("Two hours", 0), "days": ("Two days", 2), "weeks": ("Two weeks", 14)}
# Minutes. A daily session of flashcards.
FLASHCARDS = 20


@dataclass(frozen=True)
class Mock:
    """A mock interview: its format, as practice/mock/set.js has it, and minutes with a look at its summary."""

    format: str
    name: str = "Mock interview"
    minutes: int = 60


_SENIOR, _DESIGN = Mock("senior"), Mock("design", "Mock interview: system design")
_STORIES = Mock("behavioral", "Mock interview: three stories", 25)
# A level's mock interviews one after the other; else all are of the level's own format.
MOCKS = {"senior": (_SENIOR, _DESIGN, _STORIES, _DESIGN, _SENIOR)}
# How a single sitting ends: the level's cheat sheet, and one round of puzzles.
SHEET = 5
PUZZLES = 5
# The days of two weeks that end in a mock interview.
MOCK_DAYS = (4, 7, 10, 12, 14)


@dataclass(frozen=True)
class Part:
    """What belongs together: a day, or a single sitting, which has no name.

    flashcards, sheet, puzzles: minutes of each, 0 where the part has none.
    mock: the mock interview with which it ends, if it does.
    """

    name: str
    questions: Sequence[Question]
    drills: Sequence[Drill]
    flashcards: int = 0
    mock: Mock | None = None
    sheet: int = 0
    puzzles: int = 0

    @property
    def minutes(self) -> int:
        asked = sum(question.reading + question.minutes for question in self.questions)
        written = sum(page.minutes for page in self.drills)
        spoken = self.mock.minutes if self.mock else 0
        return asked + written + self.flashcards + spoken + self.sheet + self.puzzles


@dataclass(frozen=True)
class Plan:
    """One plan; ``time`` is a key of ``TIMES``."""

    time: str
    level: Level
    parts: Sequence[Part]

    @property
    def id(self) -> str:
        return f"{self.time}-{self.level.slug}"

    @property
    def time_label(self) -> str:
        return TIMES[self.time][0]

    @property
    def questions(self) -> list[Question]:
        return [question for part in self.parts for question in part.questions]

    @property
    def own(self) -> int:
        """How many questions are of the plan's level: the others are of levels below, on which it builds."""
        return sum(question.level == self.level.slug for question in self.questions)

    @property
    def drills(self) -> list[Drill]:
        return [page for part in self.parts for page in part.drills]

    @property
    def reading(self) -> int:
        return sum(question.reading for question in self.questions)

    @property
    def speaking(self) -> int:
        return sum(question.minutes for question in self.questions)

    @property
    def minutes(self) -> int:
        return sum(part.minutes for part in self.parts)


def plans(site: Site) -> list[Plan]:
    """All plans, by level, the shortest first; none for a level whose index names no questions."""
    return [plan(site, level, time) for level in site.levels if level.index and level.index.hours for time in TIMES]


def plan(site: Site, level: Level, time: str) -> Plan:
    """The plan for one level and one of ``TIMES``; names that the site does not know are left out."""
    index = level.index
    named = set(index.hours if index else ())
    if index and time != "hours":
        named |= set(index.days)
    if time == "weeks":
        named |= {question.id for question in level.questions}
        named |= {page.id for page in site.drills if page.level == level.slug}
    questions = [question for question in site.questions if question.id in named]
    drills = [page for page in site.drills if page.id in named]
    count = TIMES[time][1]
    if not count:
        return Plan(time, level, [Part("", questions, drills, sheet=SHEET, puzzles=PUZZLES)])
    parts = []
    mocks = itertools.cycle(MOCKS.get(level.slug, (Mock(level.slug),)))
    read = _dealt(questions, [question.reading + question.minutes for question in questions], count)
    for day, (asked, written) in enumerate(zip(read, _after(drills, read), strict=True), 1):
        ends_in_a_mock = day in MOCK_DAYS if time == "weeks" else day == count
        parts.append(Part(f"Day {day}", asked, written, FLASHCARDS, next(mocks) if ends_in_a_mock else None))
    return Plan(time, level, parts)


T = TypeVar("T")


def _dealt(items: Sequence[T], minutes: Iterable[int], days: int) -> list[list[T]]:
    """The items in their order, cut into days of about equal minutes."""
    minutes = list(minutes)
    whole, before = sum(minutes), 0
    dealt: list[list[T]] = [[] for _ in range(days)]
    for item, own in zip(items, minutes, strict=True):
        dealt[min(days - 1, int(days * (before + own / 2) / whole))].append(item)
        before += own
    return dealt


def _after(drills: Sequence[Drill], read: Sequence[Sequence[Question]]) -> list[list[Drill]]:
    """The drills by day, each when the questions that it is related to have been read.

    What is left is shared equally among the days that are left. A drill whose questions are not in the plan waits until
    its second half.
    """
    days = len(read)
    day_of = {question.id: day for day, questions in enumerate(read) for question in questions}
    ready = {
        page.id: max((day_of[question.id] for question in page.related if question.id in day_of), default=days // 2)
        for page in drills
    }
    waiting = sorted(drills, key=lambda page: ready[page.id])  # those of one day keep their order
    dealt: list[list[Drill]] = [[] for _ in read]
    for day, todo in enumerate(dealt):
        share = sum(page.minutes for page in waiting) / (days - day)
        while waiting and ready[waiting[0].id] <= day:
            used = sum(page.minutes for page in todo)
            if day + 1 < days and used + waiting[0].minutes / 2 > share:
                break
            todo.append(waiting.pop(0))
    return dealt


def as_time(minutes: int, *, roughly: bool = False) -> str:
    """Minutes as people write them: 45 min, 2 h, 11 h 40 min; roughly, from five hours on, in whole hours."""
    if roughly and minutes >= 300:
        minutes = 60 * round(minutes / 60)
    hours, rest = divmod(minutes, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{rest} min"] if rest or not hours else [])])


# How many questions a plan of two hours has, and the most that it takes, in minutes of reading and speaking.
QUESTIONS_IN_HOURS = (8, 12)
MINUTES_IN_HOURS = 120
# The least and the most that a plan of two days takes, all together, in minutes.
MINUTES_IN_DAYS = (600, 780)


def problems(site: Site) -> Iterator[Problem]:
    """Every problem of the plans that the indexes of levels name; a level without plans has none."""
    for level in site.levels:
        if index := level.index:
            yield from index.unfit
            if index.hours or index.days:
                yield from _names(site, index)
                yield from _lengths(site, level, index)


def _names(site: Site, index: LevelIndex) -> Iterator[Problem]:
    seen: set[str] = set()
    for key, names in (("hours", index.hours), ("days", index.days)):
        for name in names:
            known = name in site.by_id or (key == "days" and name in site.drills_by_id)
            where = (relative(index.path), index.line_of(key))
            if not known:
                fix = "Write level/topic/slug, or under days an exercise or trainer, as practice/write/slug."
                yield Problem(*where, f"{key} names {name!r}, which is not a page that it may name.", fix)
            elif name in seen:
                fix = "Keep it once: two days have what two hours have."
                yield Problem(*where, f"{key} names {name!r}, which is in the plan already.", fix)
            seen.add(name)


def _lengths(site: Site, level: Level, index: LevelIndex) -> Iterator[Problem]:
    hours, days = (plan(site, level, time) for time in ("hours", "days"))
    low, high = QUESTIONS_IN_HOURS
    where = (relative(index.path), index.line_of("hours"))
    if not low <= len(hours.questions) <= high:
        yield Problem(*where, f"hours names {len(hours.questions)} questions.", f"Name {low} to {high}.")
    if hours.minutes > MINUTES_IN_HOURS:
        message = f"Two hours take {hours.minutes} minutes of reading and speaking."
        yield Problem(*where, message, f"At most {MINUTES_IN_HOURS}: take one out, or shorten a page.")
    low, high = MINUTES_IN_DAYS
    if not low <= days.minutes <= high:
        where = (relative(index.path), index.line_of("days"))
        message = f"Two days take {days.minutes} minutes with exercises, flashcards and the mock interview."
        yield Problem(*where, message, f"About twelve hours are {low} to {high}.")
