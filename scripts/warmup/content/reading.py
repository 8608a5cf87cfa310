"""How long a page takes to read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from warmup.content import markdown, outputs
from warmup.content.page import Page

# Technical prose is read slower than a novel (about 240 words a minute). A line of code is understood, not only read;
# an output is compared with what one expected, and most of its lines are alike.
WORDS = 200
LINES_OF_CODE = 20
LINES_OF_OUTPUT = 60
# What is folded is read by those who open it: half of it.
FOLDED = 0.5
# Looked up, not read.
LEFT_OUT = ("Sources",)


def minutes(page: Page, snippets: Path) -> int:
    """Whole minutes, at least 1, for a reader who is new to the page.

    Prose counts 200 words a minute, code 20 lines and recorded output 60, empty lines left out; what is folded counts
    half, the sources not at all.

    Args:
        page: what is read; a file that it includes and that is not there counts nothing.
        snippets: the folder that its includes name files of.
    """
    total = 0.0
    for section in page.sections:
        if section.title in LEFT_OUT:
            continue
        for part in markdown.split_folds(section.lines):
            if isinstance(part, markdown.Fold):
                text = f"{part.title}\n\n{part.text}"
                total += FOLDED * _minutes(markdown.lines(text), snippets)
            else:
                total += _minutes(part, snippets)
    return max(1, math.ceil(total))


def _minutes(rows: Sequence[markdown.Line], snippets: Path) -> float:
    total = len(markdown.words("\n".join(row.text for row in rows))) / WORDS
    for row in rows:
        if include := row.include:
            path = snippets / include["path"]
            if path.suffix == ".out" and path.is_file() and (found := outputs.read(path)):
                total += _filled(found.text) / LINES_OF_OUTPUT
            elif path.suffix == ".py" and path.is_file():
                code = outputs.without_header(path.read_text(encoding="utf-8", errors="replace"))
                total += _filled(code) / LINES_OF_CODE
        elif row.fence and row.number not in (row.fence.start, row.fence.end):
            total += bool(row.text.strip()) / LINES_OF_CODE
    return total


def _filled(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())
