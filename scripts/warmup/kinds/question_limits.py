"""What is wrong with a question's page, and the limits of its form: one story, then what is deeper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from warmup import vocabulary
from warmup.content import blocks, markdown
from warmup.content.blocks import Fenced
from warmup.content.outputs import without_header
from warmup.content.page import Section
from warmup.kinds import anatomy, follow_ups, markup
from warmup.kinds.markup import Found
from warmup.kinds.questions import Question, term
from warmup.project import Problem, relative
from warmup.vocabulary import DEEPER, EXCEPTIONS, MYTH, SECTIONS

TERMS = (2, 6)
SAY_IT_WORDS = (30, 60)
TELL_IT_WORDS = (200, 280)
WHY_WORDS = 150
FACT_WORDS = 11
FOLLOW_UPS = (4, 6)
LINES = {"Run it": 20, "Break it": 25}  # of code in view, empty ones not counted
PARTS = 7
EXCEPTION_ROWS = (3, 7)
GUESSES = 1
# Behind each of these roles stands a fact, where the page has it.
WITH_FACT = ("Run it", "Why", "Break it", MYTH)
_PRONOUN = re.compile(r"(It|They|This|That|These|Those)\b")
_MARKUP = re.compile(r"`|(?<![\w\\])[*_]+\w|\w[*_]+(?![\w(*])")
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


def _sections(page: Question, snippets: Path) -> Found:
    yield from anatomy.sections(page, vocabulary.roles(page.kind), required(page))
    yield from _form(page, snippets)
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
    yield from anatomy.folds(page, "They ask next", page.follow_ups, "question", "follow-ups", *FOLLOW_UPS)
    yield from anatomy.follow_ups_alone(page, page.follow_ups)
    yield from anatomy.shown_as_written(page)
    yield from anatomy.grades(page, page.grades, page.grade_names)


def _place(section: Section, offset: int) -> int:
    """Where in a section's lines a place in its text stands, which has no empty lines around it."""
    lines = "\n".join(line.text for line in section.lines)
    return len(lines) - len(lines.lstrip()) + offset


def _form(page: Question, snippets: Path) -> Found:
    """What is wrong with the form of a page that is one story, then what is deeper."""
    if say := page.section("Say it"):
        yield from _words(say, SAY_IT_WORDS, "one says")
        for text in page.terms:
            if not term(text).search(say.text):
                yield page.line_of("terms"), f"'Say it' does not have the term {text!r}.", "Say it, or take it out."
    if page.terms and not TERMS[0] <= len(page.terms) <= TERMS[1]:
        message = f"terms has {len(page.terms)}; {TERMS[0]} to {TERMS[1]} are waited for."
        yield page.line_of("terms"), message, "Keep those without which an answer is not complete."
    if tell := page.section("Tell it"):
        yield from _words(tell, TELL_IT_WORDS, "one tells")
    if (why := page.section("Why")) and (count := len(markdown.words(_prose(why)))) > WHY_WORDS:
        fix = "Cut, let a table say it, or move it below Deeper."
        yield why.line, f"'Why' has {count} words beside its tables; at most {WHY_WORDS}.", fix
    for section in (*page.sections, *_parts(page)):
        yield from _fact(section)
    yield from _named(page)
    for title, most in LINES.items():
        if shown := page.section(title):
            yield from _in_view(shown, most, snippets)
    yield from _guesses(page)
    yield from follow_ups.problems(page)
    yield from _deeper(page)


def _words(section: Section, limits: tuple[int, int], what: str) -> Found:
    count = len(markdown.words(section.text))
    if not limits[0] <= count <= limits[1]:
        message = f"{section.title!r} has {count} words; {what} {limits[0]} to {limits[1]}."
        yield section.line, message, "Say what is asked, and stop there."


def _prose(section: Section) -> str:
    return "\n".join(line.text for line in section.lines if not line.fence and not line.text.startswith("|"))


def _parts(page: Question) -> list[Section]:
    deeper = page.section(DEEPER)
    return deeper.parts if deeper else []


def _fact(section: Section) -> Found:
    words = len(section.fact.split())
    if section.title in WITH_FACT and not section.fact:
        fix = f"Write it as ## {section.title}: what is true of this page only."
        yield section.line, f"The heading of {section.title!r} says no fact.", fix
    elif words > FACT_WORDS:
        yield section.line, f"The fact of {section.title!r} has {words} words.", f"At most {FACT_WORDS}."
    elif '"' in section.fact:
        yield section.line, "This heading holds a quotation mark.", "Write it without: it is also a name."


def _named(page: Question) -> Found:
    """Headings that name an anchor and get another one: that of their role."""
    for line in page.lines:
        role, fact, _ = (line.heading or line.part).partition(": ")
        if fact and role in SECTIONS and "{:" in line.text:
            fix = f"Take it out, and link #{role.lower().replace(' ', '-')}."
            yield line.number, f"The heading of {role!r} has the anchor of its role, and none of its own.", fix


def _in_view(section: Section, most: int, snippets: Path) -> Found:
    """Programs that are not folded and longer than what is read."""
    for block in blocks.read(section.lines):
        if isinstance(block, Fenced) and block.is_program and (path := snippets / block.include).is_file():
            code = without_header(path.read_text(encoding="utf-8", errors="replace"))
            if (count := sum(bool(row.strip()) for row in code.split("\n"))) > most:
                message = f"{path.name} shows {count} lines in {section.title!r}; at most {most} are read."
                fix = f'Show a smaller one, or fold it: ??? code "{path.name}".'
                yield block.fence.start, message, fix


def _guesses(page: Question) -> Found:
    """Guesses whose program is not right above them, or more than one."""
    found = []
    story = [section for section in page.sections if section.title != DEEPER]
    for section in story:
        above: blocks.Block | None = None
        for block in _without_blanks(blocks.read(section.lines)):
            if isinstance(block, markdown.Fold) and block.kind == "guess":
                found.append(block.line)
                if not (isinstance(above, Fenced) and above.is_program):
                    yield block.line, "This guess has no program right above it.", "Show the output, without a fold."
            above = block
    for line in found[GUESSES:]:
        yield line, f"The story has {len(found)} guesses; at most {GUESSES}.", "Show the output, without a fold."


def _without_blanks(found: Iterable[blocks.Block]) -> Iterable[blocks.Block]:
    return (block for block in found if not isinstance(block, blocks.Prose) or block.text.strip())


def _deeper(page: Question) -> Found:
    deeper = page.section(DEEPER)
    if not deeper:
        return
    parts = deeper.parts
    if len(parts) > PARTS:
        yield deeper.line, f"{DEEPER!r} has {len(parts)} parts; at most {PARTS}.", "Cut what a reader would not miss."
    if not parts or parts[0].title != EXCEPTIONS:
        fix = f"Begin it with ### {EXCEPTIONS}, a table of If and Then."
        yield deeper.line, f"{DEEPER!r} does not begin with {EXCEPTIONS!r}.", fix
        return
    rows = [line.text for line in parts[0].lines if not line.fence and line.text.startswith("|")]
    count = max(len(rows) - 2, 0)
    if not EXCEPTION_ROWS[0] <= count <= EXCEPTION_ROWS[1] or not re.match(r"\| *If *\| *Then *\|", rows[0]):
        message = f"{EXCEPTIONS!r} has {count} rows; {EXCEPTION_ROWS[0]} to {EXCEPTION_ROWS[1]} belong there."
        yield parts[0].line, message, "Write it as a table with the head | If | Then |."


def required(page: Question) -> tuple[str, ...]:
    """The sections that the page must have; of a behavioral one, the story or else what is true of the work."""
    optional: tuple[str, ...] = {"concept": ("Break it",)}.get(page.kind, ("Break it", "Why"))
    if page.kind == "behavioral":
        optional = (DEEPER, "Break it", "Tell it" if page.section("Why") else "Why")
    return tuple(role for role in vocabulary.roles(page.kind) if role not in (*optional, "Sources"))
