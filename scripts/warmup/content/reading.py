"""How long a page takes to read."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from warmup.content import blocks, markdown, outputs
from warmup.content.page import Page

# Technical prose is read slower than a novel (about 240 words a minute). A line of code is understood, not only read;
# an output is compared with what one expected, and most of its lines are alike.
WORDS = 200
LINES_OF_CODE = 20
LINES_OF_OUTPUT = 60
# What is folded is read by those who open it: half of it.
FOLDED = 0.5
# Looked up, not read.
LEFT_OUT = ("Deeper", "Sources")


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
        if section.title not in LEFT_OUT:
            for block in blocks.read(section.lines):
                total += _minutes(block, snippets)
    return max(1, math.ceil(total))


def _minutes(block: blocks.Block, snippets: Path) -> float:
    if isinstance(block, markdown.Fold):
        inside = sum(_minutes(one, snippets) for one in blocks.read(block.rows))
        return FOLDED * (len(markdown.words(block.title)) / WORDS + inside)
    if isinstance(block, blocks.Prose):
        return len(markdown.words(block.text)) / WORDS
    path = snippets / block.include
    if not block.include:
        return _filled(block.rows) / LINES_OF_CODE
    if path.suffix == ".out" and path.is_file() and (found := outputs.read(path)):
        return _filled(found.text.split("\n")) / LINES_OF_OUTPUT
    if path.suffix == ".py" and path.is_file():
        code = outputs.without_header(path.read_text(encoding="utf-8", errors="replace"))
        return _filled(code.split("\n")) / LINES_OF_CODE
    return 0


def _filled(lines: Iterable[str]) -> int:
    return sum(1 for line in lines if line.strip())
