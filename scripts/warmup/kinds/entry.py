"""What pages have in common that a card can show: questions, exercises and trainers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from warmup import vocabulary
from warmup.content import markdown
from warmup.content.page import Page
from warmup.content.schema import Field

# A name in the sidebar.
LABEL = Field(most=26)


@dataclass(eq=False)
class Entry(Page):
    """A question, an exercise or a broken trainer.

    Attributes:
        previous, next: the neighbors in the order in which the site shows them.
        related: the questions that it belongs to.
    """

    previous: Any = field(default=None, repr=False)
    next: Any = field(default=None, repr=False)
    related: list[Any] = field(default_factory=list, repr=False)

    @cached_property
    def id(self) -> str:
        """The path below ``docs/`` without its ending: ``junior/autograd/zero-grad``, ``practice/write/attention``."""
        return "/".join((*self.path.parts[-3:-1], self.path.stem))

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
    def level(self) -> str:
        raise NotImplementedError

    @property
    def topic(self) -> str:
        raise NotImplementedError

    @property
    def level_label(self) -> str:
        return vocabulary.label(self.level or "?")

    @property
    def labels(self) -> list[str]:
        """What a copy says of it below the title."""
        raise NotImplementedError

    @property
    def minutes(self) -> int:
        return self.meta.get("minutes") or 0

    @cached_property
    def snippets(self) -> list[str]:
        """The ``.py`` files that the page shows, below ``snippets/``, each once, in order."""
        return list(dict.fromkeys(i.path for i in self.includes if i.path.endswith(".py")))

    def folds(self, title: str, kind: str) -> list[markdown.Fold]:
        """The folds of a kind in a section."""
        section = self.section(title)
        return [fold for fold in markdown.folds(section.lines) if fold.kind == kind] if section else []

    @cached_property
    def follow_ups(self) -> list[markdown.Fold]:
        """What is asked next: the folds of that section, each with its answer as Markdown."""
        return self.folds("They ask next", "question")

    @cached_property
    def grades(self) -> list[tuple[str, str]]:
        """What each kind of answer sounds like, as (grade, Markdown)."""
        section = self.section("Listening for")
        return markdown.grades(section.text) if section else []
