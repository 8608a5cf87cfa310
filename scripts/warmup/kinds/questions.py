"""A question: one Markdown file at ``docs/<level>/<topic>/<slug>.md``.

Everything the site shows about it besides its own text (chips, lists, counts, neighbors) is derived here from the path,
the front matter, the sections and the snippets that the page includes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from warmup import vocabulary
from warmup.content import header, reading
from warmup.content.schema import Field
from warmup.kinds.entry import LABEL, Entry
from warmup.project import SNIPPETS

FRONT_MATTER = {
    "title": Field(required=True),
    "label": LABEL,
    "kind": Field(required=True, one_of=tuple(vocabulary.KINDS)),
    "tags": Field(list, required=True),
    "minutes": Field(int, required=True),
    "terms": Field(list, required=True),
    "related": Field(list),
    "aliases": Field(list),
}


@dataclass(eq=False)
class Question(Entry):
    """A question page; level, topic and slug come from its path."""

    schema = FRONT_MATTER

    # Neighbors are across topics and levels: from the first question one meets all of them.
    practice: list[Entry] = field(default_factory=list, repr=False)  # exercises and trainers that belong to it

    @property
    def level(self) -> str:
        return self.path.parts[-3]

    @property
    def topic(self) -> str:
        return self.path.parts[-2]

    @property
    def topic_label(self) -> str:
        return vocabulary.label(self.topic)

    @property
    def kind(self) -> str:
        return str(self.meta.get("kind") or "")

    @property
    def kind_label(self) -> str:
        return vocabulary.KINDS.get(self.kind, self.kind)

    @property
    def terms(self) -> list[str]:
        """The words that an interviewer waits for, all of which *Say it* has."""
        return list(self.meta.get("terms") or [])

    @property
    def grade_names(self) -> tuple[str, ...]:
        """What the three answers in *Listening for* are called."""
        return vocabulary.grades(self.kind)

    @property
    def is_story(self) -> bool:
        """Whether one answers with something that one did: the page tells it, and has room for the reader's own."""
        return self.section("Tell it") is not None

    @property
    def labels(self) -> list[str]:
        found = [self.level_label, self.topic_label, self.kind_label, f"{self.minutes} min aloud"]
        return found + [f"Needs: {need}" for need in self.needs]

    @cached_property
    def reading(self) -> int:
        """Whole minutes that it takes to read the page, see ``content/reading.py``."""
        return reading.minutes(self, SNIPPETS)

    @property
    def tags(self) -> list[str]:
        return list(self.meta.get("tags") or [])

    @property
    def needs(self) -> list[str]:
        """What its snippets need beyond torch and a CPU, as labels."""
        found = frozenset().union(*(header.of(SNIPPETS / name).needs for name in self.snippets))
        return [text for need, text in vocabulary.NEEDS.items() if need in found]


def term(text: str) -> re.Pattern:
    """Finds a term in prose, as a word, in any case, also across the end of a line."""
    words = r"\s+".join(map(re.escape, text.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.I)
