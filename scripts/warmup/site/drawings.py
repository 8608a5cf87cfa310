"""Drawings as a page shows them: diagrams and plots stand in its HTML, so that they take its colors and its font."""

from __future__ import annotations

import html
import re
from pathlib import Path

from warmup.site.links import relocated


def inline(file: Path, name: str, prefix: str, caption: str = "") -> str:
    """An SVG file as a figure; see `figure`."""
    return figure(file.read_text(encoding="utf-8"), name, prefix, caption)


def figure(svg: str, name: str, prefix: str, caption: str = "") -> str:
    """An SVG as a figure.

    Args:
        svg: the drawing.
        name: what it shows: its alternative text.
        prefix: begins all of its ids; programs that draw give every drawing the same ones.
        caption: what one is to see in it; "" for none.
    """
    svg = re.sub(r"(?s)^.*?(?=<svg)", "", svg)
    svg = re.sub(r"(?s)<title>.*?</title>|<!--.*?-->", "", svg)
    svg = re.sub(r"(?<!\s)\s*\n\s*", " ", svg)  # Anki's library warns of a tag that has line breaks
    label = html.escape(name, quote=False).replace('"', "&quot;")
    svg = relocated(svg, prefix, lambda address: address)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    below = f"<figcaption>{html.escape(caption, quote=False)}</figcaption>" if caption else ""
    return f'<figure class="tw-diagram">{svg}{below}</figure>'
