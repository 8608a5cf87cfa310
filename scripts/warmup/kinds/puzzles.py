"""Puzzles: short programs whose output one predicts.

A puzzle is one Markdown file at ``docs/practice/predict/<slug>.md``; its text is the why. Its program stands at
``snippets/practice/predict/<stem>.py``, the stem being the slug with underscores. The key is what a run of the program
printed. Each wrong choice is what a run of a variant (``<stem>__<variant>.py``) printed, or a text to which a named
misconception leads.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warmup.content.page import Page
from warmup.content.schema import Field
from warmup.kinds import markup
from warmup.kinds.questions import Question
from warmup.project import Problem, ProblemError, relative

FOLDER = "practice/predict"
# Of variant and text it has one.
CHOICE = {"variant": Field(), "text": Field(), "because": Field(required=True)}


@dataclass(frozen=True)
class Choice:
    """A wrong choice: the output of the program ``variant`` (a name below ``snippets/``), or else ``text``."""

    variant: str
    text: str
    because: str

    def output(self, snippets: Path) -> str:
        return text_of(snippets, output_of(self.variant)) if self.variant else self.text


@dataclass(eq=False)
class PuzzlePage(Page):
    """The file of a puzzle."""

    schema = {
        "title": Field(required=True),
        "question": Field(required=True),
        "choices": Field(list, required=True, called="choice", each=CHOICE),
    }


@dataclass(eq=False)
class Puzzle:
    """A puzzle's page, and the question that explains it; None where there is no such question."""

    page: PuzzlePage
    question: Question | None

    @property
    def slug(self) -> str:
        return self.page.path.stem

    @property
    def stem(self) -> str:
        return f"{FOLDER}/{self.slug.replace('-', '_')}"

    @property
    def program(self) -> str:
        """The program's file below ``snippets/``."""
        return f"{self.stem}.py"

    @property
    def output(self) -> str:
        """The file below ``snippets/`` that holds what the program printed."""
        return output_of(self.program)

    @property
    def why(self) -> str:
        return "\n".join(line.text for line in self.page.lines).strip()

    @cached_property
    def choices(self) -> list[Choice]:
        """The wrong choices, in the order of the front matter; what is no mapping there is left out."""
        listed = self.page.meta.get("choices")
        return [
            Choice(
                variant=f"{self.stem}__{one['variant']}.py" if one.get("variant") else "",
                text=str(one.get("text", "")).rstrip("\n"),
                because=str(one.get("because", "")),
            )
            for one in (listed if isinstance(listed, list) else [])
            if isinstance(one, dict)
        ]

    @property
    def files(self) -> set[str]:
        """Programs and outputs that the puzzle shows, below ``snippets/``."""
        programs = {self.program, *(choice.variant for choice in self.choices if choice.variant)}
        return programs | {output_of(name) for name in programs}

    def shuffled(self, snippets: Path) -> list[tuple[str, Choice | None]]:
        """The key, with None, among the wrong choices, each with its output.

        The order depends on the slug and the outputs alone: where the key stands says nothing, and each build puts it
        there again.
        """
        outputs = [(text_of(snippets, self.output), None), *((one.output(snippets), one) for one in self.choices)]
        return sorted(outputs, key=lambda one: hashlib.sha256(f"{self.slug}\n{one[0]}".encode()).digest())


def squeeze(output: str) -> str:
    """An output without the spacing that does not count: ``[1,2]`` is ``[ 1, 2 ]``, but ``1 2`` is not ``12``.

    practice/predict/puzzles.js compares what is typed in the same way.
    """
    return re.sub(r" ?([\[\](){},:=]) ?", r"\1", " ".join(output.split()))


def load(docs: Path, questions: Mapping[str, Question], problems: list[Problem]) -> list[Puzzle]:
    """Read every puzzle below ``docs``, in the order of the questions that explain them.

    Args:
        docs: the documentation folder.
        questions: all questions by id, in the site's order.
        problems: takes what is wrong with a file that cannot be read.
    """
    found = []
    for path in sorted((docs / FOLDER).glob("*.md")):
        try:
            page = PuzzlePage.read(path)
        except ProblemError as error:
            problems.append(error.problem)
        else:
            found.append(Puzzle(page, questions.get(str(page.meta.get("question")))))
    rank = {name: number for number, name in enumerate(questions)}
    return sorted(found, key=lambda one: rank[one.question.id] if one.question else len(rank))


def output_of(program: str) -> str:
    return program.removesuffix(".py") + ".out"


def text_of(snippets: Path, name: str) -> str:
    """A file's text without its last line break; empty where there is no such file."""
    path = snippets / name
    return path.read_text(encoding="utf-8").rstrip("\n") if path.is_file() else ""


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
                yield line, f"The variant snippets/{choice.variant} does not exist.", "Write it, or fix the name."
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
