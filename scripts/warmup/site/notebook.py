"""Notebook pages: from nbconvert's HTML to the markup of every other page.

mkdocs-jupyter puts a style sheet of half a megabyte and several scripts into each page, two of which would
ask third parties. A page needs only what its cells hold, so exactly that is taken out, and put into the code
and output blocks that the site styles anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

import bs4

MARK = '<div class="jupyter-wrapper">'

_MATH = re.compile(
    r"(?s)(?P<code><(?P<tag>pre|code)\b.*?</(?P=tag)>)|<p>\s*\$\$(?P<block>[^$]+)\$\$\s*</p>|\$(?P<inline>[^$\n]+)\$"
)


def flatten(content: str, output: Callable[[str], str]) -> str:
    """The cells of a rendered notebook as plain blocks; formulas are marked as arithmatex marks them.

    Args:
        content: HTML as nbconvert's lab template gives it.
        output: renders printed text.
    """
    soup = bs4.BeautifulSoup(content[content.index(MARK) :], "html.parser")
    blocks = []
    for cell in soup.select('[id^="cell-id="]'):
        if "jp-MarkdownCell" in cell["class"]:
            blocks.append(_prose(cell.select_one(".jp-MarkdownOutput")))
            continue
        if code := cell.select_one(".jp-InputArea pre"):
            blocks.append(f'<div class="highlight"><pre><span></span><code>{_inside(code)}</code></pre></div>')
        for printed, shown in groupby(cell.select(".jp-OutputArea-output"), lambda o: "jp-RenderedText" in o["class"]):
            if printed:
                blocks.append(output("\n".join(one.get_text().strip("\n") for one in shown)))
            else:
                blocks += [f'<figure class="tw-figure">{_inside(one)}</figure>' for one in shown]
    return "\n".join(blocks)


def _inside(tag: bs4.Tag) -> str:
    return tag.decode_contents().strip()


def _prose(cell: bs4.Tag) -> str:
    for anchor in cell.select("a.anchor-link"):
        anchor["class"] = "headerlink"
        anchor["title"] = "Permanent link"

    def mark(match: re.Match) -> str:
        if match["code"]:
            return match["code"]
        if match["block"]:
            return f'<div class="arithmatex">\\[{match["block"]}\\]</div>'
        return f'<span class="arithmatex">\\({match["inline"]}\\)</span>'

    return _MATH.sub(mark, _inside(cell))
