"""What is wrong with an exercise or a broken trainer: its page, its files, and whether these fit together."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from warmup.checks import anatomy, markup
from warmup.content import mistakes, one_file, sources
from warmup.content.drills import Drill
from warmup.content.exercises import Exercise
from warmup.content.trainers import Trainer
from warmup.project import Problem, ProblemError, relative

FOLLOW_UPS = (1, 9)
MOST_LINES = 12  # of a core line that a formatter has wrapped
# Of each kind how many hints it gives, and its markers with the sections in which they stand.
HINTS = {Exercise: (2, 3), Trainer: (3, 5)}
MARKERS: dict[type[Drill], dict[str, str]] = {
    Exercise: {"attempt": "Task", "mistakes": "Solution"},
    Trainer: {"check": "Script", "bugs": "Diagnosis"},
}


def problems(page: Drill, snippets: Path) -> Iterator[Problem]:
    """Every problem of one exercise or trainer; ``snippets`` is the folder below which its files stand."""
    yield from page.unfit
    own = _exercise(page, snippets) if isinstance(page, Exercise) else ()
    for line, message, fix in (*_page(page, type(page), snippets), *own):
        yield Problem(relative(page.path), line, message, fix)
    yield from _files(page, snippets)


def _page(page: Drill, kind: type[Drill], snippets: Path) -> anatomy.Found:
    yield from anatomy.related(page)
    yield from anatomy.sections(page, kind.sections_of_all, kind.sections_of_all)
    yield from anatomy.folds(page, "Hints", page.hints, "tip", "hints", *HINTS[kind])
    yield from anatomy.folds(page, "They ask next", page.follow_ups, "question", "follow-ups", *FOLLOW_UPS)
    if kind is Exercise:
        yield from anatomy.follow_ups_alone(page, page.follow_ups)
    yield from anatomy.shown_as_written(page)
    yield from anatomy.grades(page, page.grades)
    yield from anatomy.includes(page, snippets)
    yield from markup.folds(page.lines)
    yield from markup.scripts(page.lines)
    for name, title in MARKERS[kind].items():
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
    if isinstance(page, Exercise) and not page.also(snippets):
        where = relative(snippets / page.id / "also")
        yield Problem(where, 0, "There is no solution here.", "Its judge is tried on at least one.")


def _mistakes(page: Drill, snippets: Path) -> Iterator[Problem]:
    """Mistakes that share a name, or of which the page could not show what each alone changes."""
    found, programs = page.mistakes(snippets), mistakes.programs(snippets / page.id)
    where = relative(snippets / page.id / mistakes.FILE)
    beside = snippets / (page.answer if isinstance(page, Exercise) else page.start)
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


def _exercise(page: Exercise, snippets: Path) -> anatomy.Found:
    path = snippets / page.answer
    if not page.line or not path.is_file():
        return
    rows = path.read_text(encoding="utf-8", errors="replace").split("\n")
    line = _squeezed(page.line.split("\n"))
    ends = range(1, MOST_LINES + 1)
    if not any(_squeezed(rows[at : at + count]) == line for at in range(len(rows)) for count in ends):
        yield (
            page.line_of("core"),
            f"The line of core does not stand in snippets/{page.answer}.",
            "Copy it from there: whole lines; only comments, indentation and line breaks may differ.",
        )


def _squeezed(rows: list[str]) -> str:
    """Lines of code without comments and spaces."""
    return "".join("".join(re.sub(r"(^|\s)#.*", "", row).split()) for row in rows)
