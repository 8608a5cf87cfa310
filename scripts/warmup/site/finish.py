"""The last steps of a page's HTML: math as MathML, diagrams inline; and what search engines get."""

from __future__ import annotations

import html
import itertools
import re
from pathlib import Path

import math_core

from warmup.content.coding import Coding
from warmup.content.questions import Question
from warmup.site import drawings
from warmup.site.links import resolve


def finish(content: str, page_url: str, docs: Path) -> str:
    """The rendered page with math as MathML and diagrams inline.

    Args:
        content: the page as Markdown renders it.
        page_url: its address below the site's root.
        docs: the folder whose files have the same addresses, diagrams among them.

    Raises:
        ValueError: a formula is not LaTeX that the converter knows.
    """
    content = _math(content)
    content = _diagrams(content, page_url, docs)
    # A table's empty corner is no header: screen readers would announce one without a name.
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", content)


_ARITHMATEX = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">(?:\\\((?P<inline>.+?)\\\)|\\\[(?P<block>.+?)\\\])</(?P=tag)>', re.S
)


def _math(content: str) -> str:
    if "arithmatex" not in content:
        return content
    converter = math_core.LatexToMathML(fancy_error=False)

    def convert(match: re.Match) -> str:
        inline = match["inline"] is not None
        latex = html.unescape(match["inline"] or match["block"]).strip()
        try:
            mathml = converter.convert_with_local_state(latex, displaystyle=not inline)
        except math_core.LatexError as error:
            raise ValueError(f"The formula {latex!r} does not convert: {error}. Write it in other LaTeX.") from error
        return mathml if inline else f'<div class="tw-math" tabindex="0">{mathml}</div>'

    return _ARITHMATEX.sub(convert, content)


_SVG_IMAGE = re.compile(r'<p><img alt="(?P<alt>[^"]*)" src="(?P<src>[^":]+\.svg)" ?/?></p>')


def _diagrams(content: str, page_url: str, docs: Path) -> str:
    """Put diagrams inline, so that they take the page's colors; the alternative text becomes their name."""
    number = itertools.count(1)

    def inline(match: re.Match) -> str:
        path = docs / resolve(page_url, match["src"])
        if not path.is_file():
            return match[0]  # MkDocs reports the missing file
        return drawings.inline(path, match["alt"], f"figure-{next(number)}--")

    return _SVG_IMAGE.sub(inline, content)


def description(page: Question | Coding) -> str:
    """The beginning of a page as plain text, for search engines: whole sentences, about 160 characters."""
    section = page.section("Say it") if isinstance(page, Question) else next(iter(page.sections), None)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|^[-\d.]+ +", r"\1", section.text if section else "", flags=re.M)
    chosen = ""
    for sentence in re.split(r"(?<=[.?!:;]) ", " ".join(text.split())):
        if chosen and len(chosen) + len(sentence) > 160:
            break
        chosen = f"{chosen} {sentence}".strip()
    return html.escape(chosen)
