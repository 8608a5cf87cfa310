"""What is wrong with a puzzle: front matter, text, programs, outputs, and choices that are no choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from warmup.checks import markup
from warmup.content.puzzles import Puzzle, output_of, squeeze, text_of
from warmup.project import Problem, relative

WRONG_CHOICES = (2, 4)
PROGRAM_LINES = 12
CHANGED_LINES = 3


def problems(puzzle: Puzzle, snippets: Path) -> Iterator[Problem]:
    """Every problem of one puzzle; ``snippets`` is the folder that its programs stand in."""
    yield from puzzle.page.unfit
    if any(isinstance(one, dict) is False for one in puzzle.page.meta.get("choices") or []):
        return
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
    if page.meta.get("question") and puzzle.question is None:
        yield (
            page.line_of("question"),
            f"question names {page.meta['question']!r}, which is not a question.",
            "Write it as level/topic/slug, and only questions that exist.",
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
            page.line_of("choices"),
            f"There are {len(listed)} wrong choices; {low} to {high} belong there.",
            "The key is not listed: it is the recorded output.",
        )
    seen = {squeeze(text_of(snippets, puzzle.output)): "the program's own"}
    for number, (one, choice) in enumerate(zip(listed, puzzle.choices, strict=True)):
        line = page.line_of("choices", number)
        if ("variant" in one) == ("text" in one):
            yield (
                line,
                "The choice needs one of variant and text.",
                "A variant has a program that prints the choice; a text has none.",
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
                    f"Run: make record Q={choice.variant.removesuffix('.py')}",
                )
                continue
            changed = _changed(text_of(snippets, puzzle.program), text_of(snippets, choice.variant))
            if changed > CHANGED_LINES:
                yield (
                    line,
                    f"The variant differs from the program in {changed} lines; at most {CHANGED_LINES}.",
                    "It is shown as a change to the program: make it the smallest that gives this output.",
                )
        output = squeeze(choice.output(snippets))
        if output in seen:
            yield line, f"The choice is the same output as {seen[output]}.", "Each must be another output."
        seen.setdefault(output, f"that of choice {number + 1}")


def _changed(old: str, new: str) -> int:
    """In how many lines two programs differ; a line that is replaced counts once."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return sum(max(b - a, d - c) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal")
