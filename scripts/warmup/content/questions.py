"""A question: one Markdown file at ``docs/<level>/<topic>/<slug>.md``.

Everything the site shows about it besides its own text (chips, lists, counts, neighbors) is derived here from the path,
the front matter, the sections and the snippets that the page includes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from warmup import vocabulary
from warmup.content import header, markdown, reading
from warmup.content.page import Page
from warmup.project import SNIPPETS

# The type of each key's value. list: of texts; int: a whole number from 1.
FRONT_MATTER = {
    "title": str,
    "label": str,
    "kind": str,
    "tags": list,
    "minutes": int,
    "related": list,
    "long": str,
    "aliases": list,
}

# While the site is served, it outlives a build; a file that has changed is read again.
_needs: dict[Path, tuple[int, frozenset[str]]] = {}


@dataclass(eq=False)
class Question(Page):
    """A question page; level, topic and slug come from its path."""

    types = FRONT_MATTER

    # Across topics and levels: from the first question one meets all of them, in the site's order.
    previous: Question | None = field(default=None, repr=False)
    next: Question | None = field(default=None, repr=False)
    related: list[Question] = field(default_factory=list, repr=False)
    practice: list[Page] = field(default_factory=list, repr=False)  # exercises and trainers that belong to it

    @cached_property
    def id(self) -> str:
        """The path below ``docs/`` without its ending: ``junior/autograd/zero-grad``."""
        return "/".join((*self.path.parts[-3:-1], self.path.stem))

    @property
    def level(self) -> str:
        return self.path.parts[-3]

    @property
    def topic(self) -> str:
        return self.path.parts[-2]

    @property
    def slug(self) -> str:
        return self.path.stem

    @property
    def url(self) -> str:
        """Address below the site's root."""
        return f"{self.id}/"

    @property
    def short(self) -> str:
        """The name in the sidebar: what one scans for."""
        return self.meta.get("label") or vocabulary.label(self.slug)

    @property
    def level_label(self) -> str:
        return vocabulary.label(self.level)

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
    def minutes(self) -> int:
        return self.meta.get("minutes") or 0

    @cached_property
    def reading(self) -> int:
        """Whole minutes that it takes to read the page, see ``content/reading.py``."""
        return reading.minutes(self, SNIPPETS)

    @property
    def tags(self) -> list[str]:
        return list(self.meta.get("tags") or [])

    @cached_property
    def snippets(self) -> list[str]:
        """The ``.py`` files that the page shows, below ``snippets/``, each once, in order."""
        return list(dict.fromkeys(i.path for i in self.includes if i.path.endswith(".py")))

    @cached_property
    def follow_ups(self) -> list[markdown.Fold]:
        """What is asked next: the folds of that section, each with its answer as Markdown."""
        section = self.section("They ask next")
        return [fold for fold in markdown.folds(section.lines) if fold.kind == "question"] if section else []

    @cached_property
    def grades(self) -> list[tuple[str, str]]:
        """What each kind of answer sounds like, as (grade, Markdown)."""
        section = self.section("Listening for")
        return markdown.grades(section.text) if section else []

    @property
    def needs(self) -> list[str]:
        """What its snippets need beyond torch and a CPU, as labels."""
        found = frozenset().union(*(needs_of(SNIPPETS / name) for name in self.snippets))
        return [text for need, text in vocabulary.NEEDS.items() if need in found]


def needs_of(path: Path) -> frozenset[str]:
    """The needs in a snippet's header; none where it cannot be read, which the checks report."""
    try:
        stamp = path.stat().st_mtime_ns
        if _needs.get(path, (0,))[0] != stamp:
            _needs[path] = (stamp, header.parse(path.read_text(encoding="utf-8"), path).needs)
    except (OSError, UnicodeDecodeError, header.HeaderError):
        return frozenset()
    return _needs[path][1]
