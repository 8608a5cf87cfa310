"""A level's cheat sheet: ``docs/<level>/sheet.md``, a table with a line to remember for each question."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from warmup.content import markdown
from warmup.content.page import Page
from warmup.content.schema import Field
from warmup.kinds import markup
from warmup.kinds.questions import Question
from warmup.project import Problem, relative

NAME = "sheet.md"

_ROW = re.compile(r"^\|(?P<text>[^|]+)\|(?P<code>[^|]*)\|\s*\[(?P<name>[^\]]+)\]\((?P<target>[^)\s]+)\)\s*\|\s*$")
_HEAD = re.compile(r"^\|(?: *:?-+:? *\|)+\s*$")
_CODE = re.compile(r"(`+)\s*(.+?)\s*\1")


class Line(NamedTuple):
    """One row.

    Attributes:
        number: its line in the file.
        text: what to remember, Markdown.
        code: the line of code that goes with it; empty where there is none.
        name: how the page that proves it is called.
        question: the id of that page, as the row's link gives it.
    """

    number: int
    text: str
    code: str
    name: str
    question: str


@dataclass(eq=False)
class Sheet(Page):
    """The page of one level."""

    schema = {"title": Field(required=True)}

    @property
    def level(self) -> str:
        return self.path.parent.name

    @cached_property
    def _rows(self) -> list[tuple[int, str]]:
        """The rows of the table below its head, each with its line."""
        rows = [(line.number, line.text) for line in self.lines if not line.fence and line.text.startswith("|")]
        rules = [index for index, (_, text) in enumerate(rows) if _HEAD.match(text)]
        return rows[rules[0] + 1 :] if rules else []

    @cached_property
    def entries(self) -> list[Line]:
        """The rows that can be read."""
        return [entry for number, text in self._rows if (entry := self._entry(number, text))]

    @property
    def unread(self) -> list[int]:
        """The lines of the rows that cannot."""
        read = {entry.number for entry in self.entries}
        return [number for number, _ in self._rows if number not in read]

    @cached_property
    def introduction(self) -> str:
        """The Markdown before the table."""
        rows = [line.text for line in self.lines]
        return "\n".join(rows[: next((at for at, row in enumerate(rows) if row.startswith("|")), len(rows))]).strip()

    def _entry(self, number: int, row: str) -> Line | None:
        match = _ROW.match(row)
        if match is None:
            return None
        code = _CODE.fullmatch(match["code"].strip())
        if match["code"].strip() and not code:
            return None
        target = posixpath.join(self.level, match["target"].removesuffix(".md"))
        return Line(number, match["text"].strip(), code[2] if code else "", match["name"], target)


WORDS = 30


def problems(sheet: Sheet, questions: Iterable[Question], snippets: Path) -> Iterator[Problem]:
    """Every problem of a level's sheet.

    Args:
        sheet: its page.
        questions: those of its level.
        snippets: the folder of the programs.
    """
    for line, message, fix in _found(sheet, {question.id: question for question in questions}, snippets):
        yield Problem(relative(sheet.path), line, message, fix)


def _found(sheet: Sheet, questions: dict[str, Question], snippets: Path) -> Iterator[tuple[int, str, str]]:
    for number in sheet.unread:
        yield (
            number,
            "This row cannot be read.",
            "Write it as: | the line | `code` | [name](topic/page.md) |",
        )
    seen = set()
    for entry in sheet.entries:
        if entry.question not in questions:
            yield entry.number, f"{entry.question!r} is no question of this level.", "Mend the link."
            continue
        if entry.question in seen:
            yield entry.number, f"{entry.question!r} has a second line here.", "Keep one."
        seen.add(entry.question)
        if "TODO" in entry.text:
            yield entry.number, "The sheet still says TODO.", "Write the line that is to be remembered."
        count = len(markdown.words(entry.text))
        if not count:
            yield entry.number, "The line says nothing.", "Write what is to be remembered."
        if count > WORDS:
            yield entry.number, f"The line has {count} words; at most {WORDS} are remembered.", "Say the one thing."
        if entry.code and not stands_in(entry.code, questions[entry.question], snippets):
            yield (
                entry.number,
                f"No program of {entry.question} has the code {entry.code!r} within one of its lines.",
                f"Copy it from one, {markup.COLUMNS} columns at most.",
            )
    for name in questions:
        if name not in seen:
            place = "/".join(name.split("/")[1:])
            yield sheet.body_line, f"{name} has no line.", f"Add one: | ... | | [...]({place}.md) |"


def stands_in(code: str, question: Question, snippets: Path) -> bool:
    """Whether a program that a question's page shows has some code within one line."""
    files = [path for name in question.snippets if (path := snippets / name).is_file()]
    rows = [row for path in files for row in path.read_text(encoding="utf-8", errors="replace").split("\n")]
    rows += [
        line.text for line in question.lines if line.fence and not line.opens and line.fence.info.startswith("python")
    ]
    return len(code) <= markup.COLUMNS and any(code in " ".join(row.split()) for row in rows)


def arranged(sheet: Sheet, topics: Iterable[tuple[str, Sequence[Question]]]) -> str:
    """The sheet as its readers see it: Markdown with a list for each topic in place of the table.

    Args:
        sheet: its lines, in any order.
        topics: the topics of its level, each with its questions, in the site's order. The numbers are those that the
            questions have in the level's prints.
    """
    entries = {entry.question: entry for entry in sheet.entries}
    rows = [sheet.introduction, "", '<div class="tw-lines" markdown="1">', ""]
    number = 0
    for label, questions in topics:
        # Its first question decides where the numbers of a topic begin, also if that one has no line.
        first = number + 1
        items = []
        for question in questions:
            number += 1
            if question.id in entries:
                items.append(_item(entries[question.id], number, f"{question.topic}/{question.slug}.md"))
        if items:
            rows += [f"## {label}", "", f'<ol start="{first}" markdown="1">', *items, "</ol>", ""]
    return "\n".join([*rows, "</div>"])


def _item(entry: Line, number: int, target: str) -> str:
    mark = "``" if "`" in entry.code else "`"
    code = f' <span class="tw-lines__code">{mark}{entry.code}{mark}</span>' if entry.code else ""
    return f'<li value="{number}" markdown="span">{entry.text} [{entry.name}]({target}){code}</li>'
