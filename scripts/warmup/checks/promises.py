"""The sentences of a page that promise most: what a second reader tries to refute first. None of them is a problem."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warmup.content.page import Page

_WORDS = re.compile(
    r"\b(never|always|none|only|nothing|everything|nobody|every|each|all|any|exactly|identical|the same|cannot|must|"
    r"impossible|guarantees?|guaranteed|whatever|whichever|no longer|free|because|so that|usually|in practice|"
    r"faster|slower|cheaper|less memory|by default|on a GPU)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"[^"]*"|`[^`]*`')
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z*`\"(\[])")


def promises(page: Page) -> Iterator[tuple[int, list[str], str]]:
    """Sentences outside of code and quotations with a word that leaves no exception: line, words, sentence."""
    for number, text in _paragraphs(page):
        for sentence in _SENTENCE.split(text):
            words = [match.lower() for match in _WORDS.findall(_QUOTED.sub("", sentence))]
            if words:
                yield number, list(dict.fromkeys(words)), sentence


def _paragraphs(page: Page) -> Iterator[tuple[int, str]]:
    """The page's paragraphs, list items and rows of tables, each with the number of its first line."""
    start = 0
    rows: list[str] = []
    for line in page.lines:
        text = line.text.strip()
        ends = line.fence is not None or not text or text.startswith(("#", "???", "<!--"))
        if rows and (ends or text.startswith(("|", "- ", "* "))):
            yield start, " ".join(rows)
            rows = []
        if not ends:
            start, rows = (start if rows else line.number), [*rows, text]
    if rows:
        yield start, " ".join(rows)
