"""What the build writes besides pages: each export takes the questions and their HTML and leaves files in the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from warmup.content.levels import Site
from warmup.content.questions import Question
from warmup.exports import cards, copies, deck, offline, paper
from warmup.site.expand import Renderer

T = TypeVar("T")


@dataclass(frozen=True)
class Build:
    """A build of the site whose pages are done.

    Attributes:
        site: the questions.
        renderer: resolves includes in their sources.
        contents: HTML by question id, as each question's own page shows it, with links relative to that page.
        folder: where the site is written.
        site_url: the site's address, ending in a slash; empty where it is not known.
        name: the site's name.
        summary: what the site is, in one sentence.
        rendered: ids of the questions that this build has rendered. While the site is served, these are the ones that
            an edit may have changed; else all.
        kept: what ``each`` has made so far. Whoever serves hands it on from build to build.
    """

    site: Site
    renderer: Renderer
    contents: Mapping[str, str]
    folder: Path
    site_url: str
    name: str
    summary: str
    rendered: Set[str]
    kept: dict[str, dict] = field(default_factory=dict)

    def write(self, url: str, text: str) -> None:
        """Write a file below the site's root."""
        path = self.folder / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def each(self, name: str, make: Callable[[Question], T]) -> dict[str, T]:
        """What ``make`` gives, by id, for each question that has HTML; made anew only for those just rendered.

        Args:
            name: names what is made, to keep it by.
            make: makes it from a question.
        """
        kept = self.kept.setdefault(name, {})
        shown = [question for question in self.site.questions if question.id in self.contents]
        for question in shown:
            if question.id in self.rendered or question.id not in kept:
                kept[question.id] = make(question)
        return {question.id: kept[question.id] for question in shown}


def write(build: Build) -> None:
    """Write all exports of a build."""
    for url, content in cards.files(build).items():
        build.write(url, json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    apkg = build.folder / deck.APKG
    if not apkg.exists():  # it does while the site is served, where it would be the half of a reload
        deck.write(apkg, build.site, build.contents, build.site_url)
    copies.write(build)
    paper.write(build)
    offline.write(build.folder)
