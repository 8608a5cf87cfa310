"""What the build writes besides pages: each export takes the questions and their HTML and leaves files in the site."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warmup import cards, deck, machines, paper
from warmup.pages import Site
from warmup.render import Renderer


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
        serving: whether this is ``make serve``, where a second counts and slow exports may be left out.
    """

    site: Site
    renderer: Renderer
    contents: Mapping[str, str]
    folder: Path
    site_url: str
    name: str
    summary: str
    serving: bool

    def write(self, url: str, text: str) -> None:
        """Write a file below the site's root."""
        path = self.folder / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write(build: Build) -> None:
    """Write all exports of a build."""
    for url, content in cards.files(build.site, build.contents).items():
        build.write(url, json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    apkg = build.folder / deck.APKG
    if not (build.serving and apkg.exists()):  # a fifth of a second is too long for every reload
        deck.write(apkg, build.site, build.contents, build.site_url)
    machines.write(build)
    paper.write(build)
