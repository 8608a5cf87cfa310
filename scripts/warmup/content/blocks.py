"""A piece of a page as blocks: prose, fences and folds. Copies, notebooks and reading times are made of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from warmup.content import markdown
from warmup.content.markdown import Fold

_OPTION = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Prose:
    """Lines outside of fences and folds, as they stand in the file."""

    text: str


@dataclass(frozen=True)
class Fenced:
    """A fenced block: a program, an output, a plot, or a text of the page's own.

    Attributes:
        fence: where it stands, and what stands behind its opening mark.
        indent: what stands in front of each of its lines: it is longer in a list.
        rows: its lines without that.
        include: the file below ``snippets/`` that it shows; "" where its text stands in the page.
    """

    fence: markdown.Fence
    indent: str
    rows: tuple[str, ...]
    include: str

    @property
    def language(self) -> str:
        return self.fence.info.partition(" ")[0]

    @cached_property
    def options(self) -> dict[str, str]:
        """What is said behind the language, as in ``title="file.py"``."""
        return dict(_OPTION.findall(self.fence.info))

    @property
    def is_program(self) -> bool:
        return self.include.endswith(".py")


Block = Prose | Fenced | Fold


def read(rows: Sequence[markdown.Line]) -> list[Block]:
    """The blocks of a piece of a page, in order; what a fold holds is read from its ``rows``."""
    found: list[Block] = []
    for part in markdown.split_folds(rows):
        if isinstance(part, Fold):
            found.append(part)
            continue
        for fence, lines in itertools.groupby(part, key=lambda line: line.fence):
            group = list(lines)
            found.append(_fenced(fence, group) if fence else Prose("\n".join(line.text for line in group) + "\n"))
    return found


def flat(rows: Sequence[markdown.Line]) -> Iterable[Prose | Fenced]:
    """The blocks with those of folds in their place."""
    for block in read(rows):
        if isinstance(block, Fold):
            yield from flat(block.rows)
        else:
            yield block


def _fenced(fence: markdown.Fence, group: Sequence[markdown.Line]) -> Fenced:
    indent = group[0].text.partition(fence.mark)[0]
    include = next((found["path"] for line in group if (found := line.include)), "")
    return Fenced(fence, indent, tuple(line.text.removeprefix(indent) for line in group[1:-1]), include)
