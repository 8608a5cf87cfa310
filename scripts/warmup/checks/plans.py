"""What is wrong with the plans: names that no page has, and plans that take longer than they promise."""

from __future__ import annotations

from collections.abc import Iterator

from warmup.content import plans
from warmup.content.levels import Level, LevelIndex, Site
from warmup.project import Problem, relative

# How many questions a plan of two hours has, and the most that it takes, in minutes of reading and speaking.
QUESTIONS_IN_HOURS = (8, 12)
MINUTES_IN_HOURS = 120
# The least and the most that a plan of two days takes, all together, in minutes.
MINUTES_IN_DAYS = (660, 780)


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
    hours, days = (plans.plan(site, level, time) for time in ("hours", "days"))
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
