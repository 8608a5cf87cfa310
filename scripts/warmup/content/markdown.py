"""The one reader of what the project itself understands in Markdown: fences, headings, folds, includes and markers.

It takes for a fence what the site's Markdown (superfences) takes for one. A fence ends at the next line that holds the
same mark and nothing else; one that never ends, or whose text is indented less than its mark, is no fence.

A fence of four or more characters shows its text as it stands: that is how an include can be quoted. In any other fence
an include is replaced by its file. A marker is one only outside of fences.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_INCLUDE = re.compile(r'^(?P<indent>[ \t]*)--8<--[ \t]+"(?P<path>[^"]+)"[ \t]*$')
_HEADING = re.compile(r"^(?P<level>##|###) +(?P<title>.+?)(?:\s*\{:.*\})?\s*$")
_FOLD = re.compile(r'^\?\?\?\+? (?P<kind>\w+)(?P<marks>(?: (?:first|here))*) "(?P<title>.+)"$')
_CODE_OR_TARGET = re.compile(r"(`+).+?\1|\]\([^)]*\)", re.S)
GRADE = re.compile(r"^[-*] \*\*(?P<name>\w+)\*\*:?\s*", re.M)
_MARKER = re.compile(r"^(?P<indent> *)<!-- warmup:(?P<name>[a-z-]+)(?P<arguments>(?: [a-z]+=[\w-]+)*) -->$")


@dataclass(frozen=True)
class Fence:
    """A fenced block: the numbers of its first and last line, its mark, and what stands behind the opening mark."""

    start: int
    end: int
    mark: str
    info: str


class Line(NamedTuple):
    """A line and the fence it belongs to, opening and closing line included; None outside of fences."""

    number: int
    text: str
    fence: Fence | None

    @property
    def opens(self) -> bool:
        return self.fence is not None and self.fence.start == self.number

    @property
    def heading(self) -> str:
        """The title of the section that begins here; "" elsewhere."""
        return self._title("##")

    @property
    def part(self) -> str:
        """The title of the part of a section that begins here; "" elsewhere."""
        return self._title("###")

    def _title(self, level: str) -> str:
        match = None if self.fence else _HEADING.match(self.text)
        return match["title"] if match and match["level"] == level else ""

    @property
    def include(self) -> re.Match | None:
        """``--8<-- "path"`` with the groups ``indent`` and ``path``, where a file is to stand in its place."""
        return None if self.fence and len(self.fence.mark) > 3 else _INCLUDE.match(self.text)

    @property
    def marker(self) -> re.Match | None:
        """``<!-- warmup:name key=value -->`` with the groups ``indent``, ``name`` and ``arguments``."""
        return None if self.fence else _MARKER.match(self.text)


class Fold(NamedTuple):
    """A block that is folded on the page: the number of its first line, kind, title, and its text, not indented.

    ``here`` marks a question that only somebody can answer who has the page in view: ``??? question here "..."``;
    ``first`` marks one that comes first in an interview.
    """

    line: int
    kind: str
    title: str
    text: str
    here: bool = False
    first: bool = False

    @property
    def rows(self) -> list[Line]:
        """Its text as lines."""
        return lines(self.text, self.line + 1)


def lines(text: str, first: int = 1) -> list[Line]:
    """The lines of ``text``, numbered from ``first``."""
    found: list[Line] = []
    rows = text.split("\n")
    fence: Fence | None = None
    for index, row in enumerate(rows):
        number = first + index
        if fence and number > fence.end:
            fence = None
        if fence is None and (opening := FENCE.match(row)) and (end := _end(rows, index, opening)):
            fence = Fence(number, first + end, opening["mark"], opening["info"].strip())
        found.append(Line(number, row, fence))
    return found


def split_folds(rows: Sequence[Line]) -> list[list[Line] | Fold]:
    """The outermost folds, and between them the lines that stand in none."""
    found: list[list[Line] | Fold] = []
    index = 0
    while index < len(rows):
        line = rows[index]
        index += 1
        if line.fence is None and (head := _FOLD.match(line.text)):
            start = index
            while index < len(rows) and (not rows[index].text.strip() or rows[index].text.startswith("    ")):
                index += 1
            text = textwrap.dedent("\n".join(row.text for row in rows[start:index])).strip("\n")
            marks = head["marks"].split()
            found.append(Fold(line.number, head["kind"], head["title"], text, "here" in marks, "first" in marks))
        elif found and isinstance(found[-1], list):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def folds(rows: Sequence[Line]) -> list[Fold]:
    """The outermost folds."""
    return [part for part in split_folds(rows) if isinstance(part, Fold)]


def grades(text: str) -> list[tuple[str, str]]:
    """The bullets that begin with a word in bold, as (word, text)."""
    parts = GRADE.split(text)[1:]
    return [(name, said.strip()) for name, said in zip(parts[::2], parts[1::2], strict=True)]


def prose(rows: Sequence[Line]) -> list[str]:
    """Line by line what Markdown reads as text: fences, code and link targets are left out."""
    text = "\n".join("" if row.fence else row.text for row in rows)
    return _CODE_OR_TARGET.sub(lambda found: "\n" * found[0].count("\n"), text).split("\n")


def words(text: str) -> list[str]:
    """The words one would read aloud: code blocks, link targets, markup and table rules do not count."""
    text = "\n".join(line.text for line in lines(text) if not line.fence)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"[`*_|#>\[\]]", " ", text)
    return [word for word in text.split() if re.search(r"\w", word)]


def _end(rows: list[str], start: int, opening: re.Match) -> int | None:
    """The index of the line that closes a fence; None where the fence does not end."""
    indent = _width(rows[start])
    for index in range(start + 1, len(rows)):
        if rows[index].strip() and _width(rows[index]) < indent:
            return None
        # Superfences looks for the end where the text begins: a mark that is indented further is text.
        if rows[index].strip() == opening["mark"] and _width(rows[index]) == indent:
            return index
    return None


def _width(row: str) -> int:
    """How far a line is indented, in columns."""
    row = row.expandtabs(4)
    return len(row) - len(row.lstrip(" "))
