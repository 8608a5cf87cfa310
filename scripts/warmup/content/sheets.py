"""A level's cheat sheet: ``docs/<level>/sheet.md``, a table with a line to remember for each question."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from warmup.content.page import Page
from warmup.content.schema import Field

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
