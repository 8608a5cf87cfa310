"""What is wrong with a question's page: front matter, sections, lengths and includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from warmup.checks import anatomy, form, markup
from warmup.content import markdown
from warmup.content.outputs import without_header
from warmup.content.page import Include, Section
from warmup.content.questions import Question
from warmup.project import Problem, relative

SAY_IT_WORDS = 70
WHY_WORDS = 400
RUN_IT_LINES = 15
_PRONOUN = re.compile(r"(It|They|This|That|These|Those)\b")
_MARKUP = re.compile(r"`|(?<![\w\\])[*_]+\w|\w[*_]+(?![\w(*])")
FOLLOW_UPS = (2, 7)
_ELSEWHERE = re.compile(
    r"\b(?:(?:run|output|table|program|picture|curve|log|paper)s?|Fault \w|\w\*) (?:above|below)\b"
    r"|\b(?:first|second|last) (?:program|run)\b(?![^\[\]]*\]\()"
)


def problems(page: Question, snippets: Path) -> Iterator[Problem]:
    """Every problem of one page; ``snippets`` is the folder that its includes name files of."""
    yield from page.unfit
    found = (*anatomy.related(page), *_sections(page, snippets), *anatomy.includes(page, snippets))
    for line, message, fix in (*found, *markup.folds(page.lines), *markup.scripts(page.lines)):
        yield Problem(relative(page.path), line, message, fix)


def _sections(page: Question, snippets: Path) -> Iterator[tuple[int, str, str]]:
    yield from anatomy.sections(page, form.allowed(page), form.required(page))
    yield from form.problems(page, snippets) if page.formed else _old_form(page, snippets)
    if say := page.section("Say it"):
        if any(line.fence for line in say.lines):
            yield say.line, "'Say it' holds a code block.", "It is spoken: move code to 'Run it'."
        elif found := _MARKUP.search(say.text):
            at = say.line + "\n".join(line.text for line in say.lines)[: _place(say, found.start())].count("\n") + 1
            yield at, "'Say it' holds code font or italics.", "It is spoken: write the words alone."
        if match := _PRONOUN.match(say.text):
            yield (
                say.line,
                f"'Say it' begins with {match[0]!r}, and the listener does not know what that is.",
                "Name the subject, as in zero_grad() clears the gradients.",
            )
    if run := page.section("Run it"):
        shown = [i for i in page.includes if run.line < i.line <= run.line + len(run.lines)]
        if not any(i.path.endswith(".py") for i in shown):
            yield run.line, "'Run it' shows no snippet.", 'Include one: --8<-- "level/topic/name.py".'
        if not any(i.path.endswith(".out") for i in shown):
            yield run.line, "'Run it' shows no output.", 'Include it: --8<-- "level/topic/name.out".'
    for row in myth.lines if (myth := page.section("Myth")) else ():
        if not row.fence and (found := _ELSEWHERE.search(row.text)):
            yield (
                row.number,
                f"The myth points at something by its place: {found[0]!r}.",
                "It has a page of its own too, without the rest: link what is meant, as in [first program](#run-it).",
            )
    follow_ups = form.FOLLOW_UPS if page.formed else FOLLOW_UPS
    yield from anatomy.folds(page, "They ask next", page.follow_ups, "question", "follow-ups", *follow_ups)
    yield from anatomy.follow_ups_alone(page, page.follow_ups)
    yield from anatomy.shown_as_written(page)
    yield from anatomy.grades(page, page.grades, page.grade_names)


def _old_form(page: Question, snippets: Path) -> anatomy.Found:
    """The limits of a page that is not a story with a cut yet."""
    for title, most in (("Say it", SAY_IT_WORDS), ("Why", WHY_WORDS)):
        if (section := page.section(title)) and (count := len(markdown.words(section.text))) > most:
            yield section.line, f"{title!r} has {count} words; at most {most}.", "Say less, or let a table say it."
    run = page.section("Run it")
    shown = [i for i in page.includes if run and run.line < i.line <= run.line + len(run.lines)]
    if run and (count := _lines_until_output(shown, snippets)) > RUN_IT_LINES and not page.meta.get("long"):
        message = f"'Run it' shows {count} lines of code before its first output; at most {RUN_IT_LINES} are read."
        fix = "Show the smallest program first, or say in the front matter why it can't be: long: ..."
        yield run.line, message, fix


def _place(section: Section, offset: int) -> int:
    """Where in a section's lines a place in its text stands, which has no empty lines around it."""
    lines = "\n".join(line.text for line in section.lines)
    return len(lines) - len(lines.lstrip()) + offset


def _lines_until_output(shown: list[Include], snippets: Path) -> int:
    """How many lines of code, empty ones left out, stand before the first output."""
    count = 0
    for include in shown:
        if include.path.endswith(".out"):
            break
        path = snippets / include.path
        if path.suffix == ".py" and path.is_file():
            code = without_header(path.read_text(encoding="utf-8", errors="replace"))
            count += sum(1 for line in code.split("\n") if line.strip())
    return count
