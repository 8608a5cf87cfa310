"""Diagrams that are missing, older than their source, without one, or on no page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from warmup.content import diagrams
from warmup.project import Problem, relative


def problems(folder: Path) -> Iterator[Problem]:
    """Every problem of the diagrams in a topic's folder."""
    pages = "\n".join(page.read_text(encoding="utf-8", errors="replace") for page in sorted(folder.glob("*.md")))
    for source in sorted(folder.glob("*.dot")):
        again = f"Run: make draw Q={relative(source)}"
        try:
            if not diagrams.is_drawn_from(source):
                message = "It has changed since its diagram was drawn, or the diagram was edited."
                yield Problem(relative(source), 0, message, again)
        except FileNotFoundError:
            yield Problem(relative(source), 0, "Its diagram has not been drawn.", again)
    for drawing in sorted(folder.glob("*.svg")):
        if not drawing.with_suffix(".dot").exists():
            fix = "Add it, or delete the diagram."
            yield Problem(relative(drawing), 0, "This diagram has no Graphviz source beside it.", fix)
        if not re.search(rf"\]\({re.escape(drawing.name)}[ )]", pages):
            yield Problem(relative(drawing), 0, "No page shows this diagram.", "Show it, or delete it with its source.")
