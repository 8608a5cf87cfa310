"""Diagrams: Graphviz source beside its page, and the SVG that was drawn from it ahead of time.

The SVG begins with a fingerprint of both, so that one which is older than its source is found without Graphviz.
"""

from __future__ import annotations

import re
from pathlib import Path

from warmup.content.outputs import fingerprint

_DRAWN = re.compile(r"<!-- drawn from \S+, fingerprint ([0-9a-f]{16}) -->\n")


def find(docs: Path) -> list[Path]:
    """The sources of all diagrams below a folder."""
    return sorted(docs.rglob("*.dot"))


def drawing_file(source: Path) -> Path:
    """Where the diagram of a source stands."""
    return source.with_suffix(".svg")


def drawn(svg: str, source: Path) -> str:
    """The content of a diagram's file, tied to its source.

    Args:
        svg: as Graphviz wrote it; what stands before its first element, its own version among it, is left out.
        source: the Graphviz source that it was drawn from.
    """
    svg = svg[svg.index("<svg") :]
    tie = fingerprint(source.read_text(encoding="utf-8"), svg)
    return f"<!-- drawn from {source.name}, fingerprint {tie} -->\n{svg}"


def is_drawn_from(source: Path) -> bool:
    """Whether the diagram beside a source was drawn from it, and nobody has edited either since.

    Raises:
        FileNotFoundError: there is no diagram yet.
    """
    text = drawing_file(source).read_text(encoding="utf-8")
    match = _DRAWN.match(text)
    return match is not None and match[1] == fingerprint(source.read_text(encoding="utf-8"), text[match.end() :])
