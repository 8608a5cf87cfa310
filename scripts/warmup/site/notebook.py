"""Notebook pages: cells become the Markdown of any other page.

mkdocs-jupyter makes a notebook a page and offers it for download. Its own rendering is left aside: it puts a style
sheet of half a megabyte and several scripts into each page, two of which would ask third parties.
"""

from __future__ import annotations

import base64
import json
import re
from itertools import groupby


def markdown(notebook: str) -> str:
    """Prose as it stands, code and printed text in fences, pictures as figures.

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
            for is_picture, outputs in groupby(cell["outputs"], lambda output: bool(_picture(output))):
                if is_picture:
                    parts += [f'<figure class="tw-figure">{_picture(output)}</figure>' for output in outputs]
                else:
                    parts.append(_fence("output", "\n".join(_printed(output) for output in outputs)))
    return "\n\n".join(parts) + "\n"


def _fence(language: str, text: str) -> str:
    # Four characters and more: an include within is text. More than any within: only the last ends it.
    mark = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{mark}{language}\n{text}\n{mark}"


def _picture(output: dict) -> str:
    """The picture as HTML, in which nothing can mix with the page; empty where there is none."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        svg = base64.b64encode("".join(data["image/svg+xml"]).encode()).decode()
        return _image(f"data:image/svg+xml;base64,{svg}")
    if "image/png" in data:
        return _image(f"data:image/png;base64,{''.join(''.join(data['image/png']).split())}")
    return ""


def _image(source: str) -> str:
    return f'<img alt="No description has been provided for this image" src="{source}">'


def _printed(output: dict) -> str:
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", "")).strip("\n")
