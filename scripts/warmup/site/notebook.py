"""Notebook pages: cells become the Markdown of any other page.

mkdocs-jupyter makes a notebook a page and offers it for download. Its own rendering is left aside: it puts a style
sheet of half a megabyte and several scripts into each page, two of which would ask third parties.
"""

from __future__ import annotations

import base64
import html
import json
import re
from itertools import groupby

# The tag of a cell whose table gets a slider, which assets/javascripts/slider.js makes.
SLIDER = "slider"
_OPEN = '<div class="tw-slider" markdown="1">'


def markdown(notebook: str) -> str:
    """Prose as it stands, code and printed text in fences, pictures as figures, tables that a cell shows as tables.

    Args:
        notebook: the file's text, in nbformat 4.
    """
    parts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code" and source:
            parts.append(_fence("python", source))
            for kind, outputs in groupby(cell["outputs"], _kind):
                if kind == "picture":
                    parts += [f'<figure class="tw-figure">{_picture(output)}</figure>' for output in outputs]
                elif kind == "markdown":
                    shown = ["".join(output["data"]["text/markdown"]) for output in outputs]
                    if SLIDER in cell.get("metadata", {}).get("tags", []):
                        shown = [f"{_OPEN}\n\n{text}\n\n</div>" for text in shown]
                    parts += shown
                else:
                    parts.append(_fence("output", "\n".join(_printed(output) for output in outputs)))
    return "\n\n".join(parts) + "\n"


def _fence(language: str, text: str) -> str:
    # Four characters and more: an include within is text. More than any within: only the last ends it.
    mark = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{mark}{language}\n{text}\n{mark}"


def has_slider(text: str) -> bool:
    """Whether what ``markdown`` made has a table with a slider."""
    return _OPEN in text


def _kind(output: dict) -> str:
    if _picture(output):
        return "picture"
    return "markdown" if "text/markdown" in output.get("data", {}) else "printed"


def _picture(output: dict) -> str:
    """The picture as HTML, in which nothing can mix with the page; empty where there is none."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        svg = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
        return _image(output, "image/svg+xml", svg)
    if "image/png" in data:
        return _image(output, "image/png", "".join("".join(data["image/png"]).split()))
    return ""


def _image(output: dict, kind: str, data: str) -> str:
    """An image with the text that its cell gave to ``display(figure, metadata=...)``; nbconvert reads it there, too."""
    alt = output.get("metadata", {}).get(kind, {}).get("alt", "No description has been provided for this image")
    return f'<img alt="{html.escape(alt)}" src="data:{kind};base64,{data}">'


def _printed(output: dict) -> str:
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", "")).strip("\n")
