"""What is wrong with the form of a question's page that has `terms`: one story, then what is deeper."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from warmup import vocabulary
from warmup.checks.anatomy import Found
from warmup.content import blocks, markdown, outputs
from warmup.content.blocks import Fenced
from warmup.content.page import Section
from warmup.content.questions import Question, term
from warmup.vocabulary import DEEPER, EXCEPTIONS, MYTH

TERMS = (2, 6)
SAY_IT_WORDS = (30, 60)
TELL_IT_WORDS = (200, 280)
WHY_WORDS = 150
FACT_WORDS = 11
FOLLOW_UPS = (4, 6)
FIRST = 2  # the follow-ups that are marked as asked first
LINES = {"Run it": 20, "Break it": 25}  # of code in view, empty ones not counted
PARTS = 7
EXCEPTION_ROWS = (3, 7)
GUESSES = 1
# Behind each of these roles stands a fact, where the page has it.
WITH_FACT = ("Run it", "Why", "Break it", MYTH)


def problems(page: Question, snippets: Path) -> Found:
    """Every problem of the form; ``snippets`` is the folder that includes name files of."""
    if say := page.section("Say it"):
        yield from _words(say, SAY_IT_WORDS, "one says")
        for text in page.terms:
            if not term(text).search(say.text):
                yield page.line_of("terms"), f"'Say it' does not have the term {text!r}.", "Say it, or take it out."
    if not TERMS[0] <= len(page.terms) <= TERMS[1]:
        message = f"terms has {len(page.terms)}; {TERMS[0]} to {TERMS[1]} are waited for."
        yield page.line_of("terms"), message, "Keep those without which an answer is not complete."
    if tell := page.section("Tell it"):
        yield from _words(tell, TELL_IT_WORDS, "one tells")
    if (why := page.section("Why")) and (count := len(markdown.words(_prose(why)))) > WHY_WORDS:
        fix = "Cut, let a table say it, or move it below Deeper."
        yield why.line, f"'Why' has {count} words beside its tables; at most {WHY_WORDS}.", fix
    for section in (*page.sections, *_parts(page)):
        yield from _fact(section)
    for title, most in LINES.items():
        if shown := page.section(title):
            yield from _in_view(shown, most, snippets)
    yield from _guesses(page)
    yield from _firsts(page)
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


def _in_view(section: Section, most: int, snippets: Path) -> Found:
    """Programs that are not folded and longer than what is read."""
    for block in blocks.read(section.lines):
        if isinstance(block, Fenced) and block.is_program and (path := snippets / block.include).is_file():
            code = outputs.without_header(path.read_text(encoding="utf-8", errors="replace"))
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


def _firsts(page: Question) -> Found:
    first = [fold for fold in page.follow_ups if fold.first]
    if page.follow_ups and len(first) != FIRST:
        fix = 'Write ??? question first "..." for the two that come first in an interview.'
        yield page.follow_ups[0].line, f"Of the follow-ups, {len(first)} are marked as asked first.", fix


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


def allowed(page: Question) -> tuple[str, ...]:
    """The sections that the page may have, in their order."""
    return vocabulary.roles(page.kind) if page.formed else vocabulary.OLD_SECTIONS


def required(page: Question) -> tuple[str, ...]:
    """The sections that the page must have."""
    if not page.formed:
        return vocabulary.REQUIRED_SECTIONS
    optional = {"concept": ("Break it",), "behavioral": (DEEPER,)}.get(page.kind, ("Break it", "Why"))
    return tuple(role for role in vocabulary.roles(page.kind) if role not in (*optional, "Sources"))
