"""The one reader of what the project itself understands in Markdown: fences, includes and markers.

It takes for a fence what the site's Markdown (superfences) takes for one. A fence ends at the next line that holds the
same mark and nothing else; one that never ends, or whose text is indented less than its mark, is no fence.

A fence of four or more characters shows its text as it stands: that is how an include can be quoted. In any other fence
an include is replaced by its file. A marker is one only outside of fences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_INCLUDE = re.compile(r'^(?P<indent>[ \t]*)--8<--[ \t]+"(?P<path>[^"]+)"[ \t]*$')
_MARKER = re.compile(r"^<!-- warmup:(?P<name>[a-z-]+)(?P<arguments>(?: [a-z]+=[\w-]+)*) -->$")


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
    def include(self) -> re.Match | None:
        """``--8<-- "path"`` with the groups ``indent`` and ``path``, where a file is to stand in its place."""
        return None if self.fence and len(self.fence.mark) > 3 else _INCLUDE.match(self.text)

    @property
    def marker(self) -> re.Match | None:
        """``<!-- warmup:name key=value -->`` with the groups ``name`` and ``arguments``."""
        return None if self.fence else _MARKER.match(self.text)


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
