"""What is wrong with a puzzle: front matter, text, programs, outputs, and choices that are no choice."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator
from pathlib import Path

import yaml

from warmup.checks import markup
from warmup.content.page import Page
from warmup.content.puzzles import Puzzle, output_of, squeeze, text_of
from warmup.project import Problem, relative

FRONT_MATTER = {"title": str, "question": str, "choices": list}
CHOICE_KEYS = ("variant", "text", "because")
WRONG_CHOICES = (2, 4)
PROGRAM_LINES = 12
CHANGED_LINES = 3

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def problems(puzzle: Puzzle, snippets: Path) -> Iterator[Problem]:
    """Every problem of one puzzle; ``snippets`` is the folder that its programs stand in."""
    where = relative(puzzle.page.path)
    for line, message, fix in (
        *_front_matter(puzzle),
        *_program(puzzle, snippets),
        *_choices(puzzle, snippets),
        *markup.folds(puzzle.page.lines),
        *markup.scripts(puzzle.page.lines),
    ):
        yield Problem(where, line, message, fix)


def _front_matter(puzzle: Puzzle) -> Iterator[tuple[int, str, str]]:
    page = puzzle.page
    for key, kind in FRONT_MATTER.items():
        value = page.meta.get(key)
        if not value:
            yield _line(page, key), f"The front matter has no {key}.", f"Add {key}: ..."
        elif not isinstance(value, kind):
            yield _line(page, key), f"{key} is not a {kind.__name__}.", "See docs/about/contributing/puzzles.md."
    for key in page.meta:
        if key not in FRONT_MATTER:
            yield (
                _line(page, key),
                f"The front matter has an unknown key, {key!r}.",
                (f"Known: {', '.join(FRONT_MATTER)}."),
            )
    if page.meta.get("question") and puzzle.question is None:
        yield (
            _line(page, "question"),
            f"question names {page.meta['question']!r}, which is not a question.",
            ("Write it as level/topic/slug, and only questions that exist."),
        )
    if not puzzle.why:
        yield page.body_line, "The puzzle does not say why.", "Explain the output below the front matter."


def _program(puzzle: Puzzle, snippets: Path) -> Iterator[tuple[int, str, str]]:
    path = snippets / puzzle.program
    if not path.is_file():
        yield 1, f"The program snippets/{puzzle.program} does not exist.", "Write it, or rename the puzzle."
        return
    if not squeeze(text_of(snippets, puzzle.output)):
        yield 1, f"The output snippets/{puzzle.output} has not been recorded.", f"Run: make record Q={puzzle.stem}"
    count = sum(1 for line in path.read_text(encoding="utf-8").split("\n") if line.strip())
    if count > PROGRAM_LINES:
        yield 1, f"The program has {count} lines; at most {PROGRAM_LINES} are read as one.", "Cut it to its point."


def _choices(puzzle: Puzzle, snippets: Path) -> Iterator[tuple[int, str, str]]:
    page, listed = puzzle.page, puzzle.page.meta.get("choices")
    if not listed or not isinstance(listed, list):
        return
    low, high = WRONG_CHOICES
    if not low <= len(listed) <= high:
        yield (
            _line(page, "choices"),
            f"There are {len(listed)} wrong choices; {low} to {high} belong there.",
            ("The key is not listed: it is the recorded output."),
        )
    if mistaken := [number for number, one in enumerate(listed) if not isinstance(one, dict)]:
        yield (
            _line(page, "choices", mistaken[0]),
            "A choice is not a mapping.",
            ("Write it as variant: ... or text: ..., then because: ..."),
        )
        return
    seen = {squeeze(text_of(snippets, puzzle.output)): "the program's own"}
    for number, (one, choice) in enumerate(zip(listed, puzzle.choices, strict=True)):
        line = _line(page, "choices", number)
        for key, value in one.items():
            if key not in CHOICE_KEYS:
                yield line, f"The choice has an unknown key, {key!r}.", f"Known: {', '.join(CHOICE_KEYS)}."
            elif not isinstance(value, str) or not value.strip():
                yield line, f"{key} is not a text.", f"Write it, in quotes if it is a number: {key}: '...'"
        if "because" not in one:
            yield line, "The choice does not say which mistake leads to it.", "Add because: ..."
        if ("variant" in one) == ("text" in one):
            yield (
                line,
                "The choice needs one of variant and text.",
                ("A variant has a program that prints the choice; a text has none."),
            )
            continue
        if choice.variant:
            if not (snippets / choice.variant).is_file():
                yield line, f"The variant snippets/{choice.variant} does not exist.", "Write it, or mend the name."
                continue
            if not squeeze(choice.output(snippets)):
                yield (
                    line,
                    f"The output snippets/{output_of(choice.variant)} has not been recorded.",
                    (f"Run: make record Q={choice.variant.removesuffix('.py')}"),
                )
                continue
            changed = _changed(text_of(snippets, puzzle.program), text_of(snippets, choice.variant))
            if changed > CHANGED_LINES:
                yield (
                    line,
                    f"The variant differs from the program in {changed} lines; at most {CHANGED_LINES}.",
                    ("It is shown as a change to the program: make it the smallest that gives this output."),
                )
        output = squeeze(choice.output(snippets))
        if output in seen:
            yield line, f"The choice is the same output as {seen[output]}.", "Each must be another output."
        seen.setdefault(output, f"that of choice {number + 1}")


def _changed(old: str, new: str) -> int:
    """In how many lines two programs differ; a line that is replaced counts once."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return sum(max(b - a, d - c) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal")


@functools.lru_cache(maxsize=1)  # asked for each choice of one page after the other
def _composed(front_matter: str) -> yaml.Node:
    return yaml.compose(front_matter, Loader=_Loader)


def _line(page: Page, key: str, item: int | None = None) -> int:
    """The line in a page's file of a key of its front matter, or of an item of its list; 1 where there is none."""
    for name, value in _composed("\n".join(page.text.split("\n")[1 : page.body_line - 2])).value:
        if name.value == key:
            return (name if item is None else value.value[item]).start_mark.line + 2
    return 1
