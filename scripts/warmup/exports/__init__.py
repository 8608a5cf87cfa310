"""What the build writes besides pages: each export takes the questions and their HTML and leaves files in the site."""

from __future__ import annotations

import json

from warmup.exports import cards, copies, data, deck, kit, llms, notebooks, words
from warmup.exports.build import Build

__all__ = ["Build", "write"]


def write(build: Build) -> None:
    """Write the exports that need no file of the built site."""
    practice = cards.files(build)
    files = {**practice, **kit.files(build, practice), words.FILE: words.words(build.site)}
    for url, content in files.items():
        build.write(url, json.dumps(content, ensure_ascii=False, separators=(",", ":")))
    if not (build.folder / deck.APKG).exists():  # it does while the site is served, where it would be half of a reload
        deck.write(build)
    copies.write(build)
    notebooks.write(build)
    data.write(build)
    llms.write(build)
