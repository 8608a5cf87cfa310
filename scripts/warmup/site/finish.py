"""The last steps of a page's HTML: math as MathML; and what search engines get."""

from __future__ import annotations

import html
import re

import math_core

from warmup.kinds.entry import Entry
from warmup.kinds.questions import Question


def finish(content: str) -> str:
    """The page as Markdown renders it, with math as MathML.

    Raises:
        ValueError: a formula is not LaTeX that the converter knows.
    """
    content = _math(content)
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


def description(page: Entry) -> str:
    """The beginning of a page as plain text, for search engines: whole sentences, about 160 characters."""
    section = page.section("Say it") if isinstance(page, Question) else next(iter(page.sections), None)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|^[-\d.]+ +", r"\1", section.text if section else "", flags=re.M)
    chosen = ""
    for sentence in re.split(r"(?<=[.?!:;]) ", " ".join(text.split())):
        if chosen and len(chosen) + len(sentence) > 160:
            break
        chosen = f"{chosen} {sentence}".strip()
    return html.escape(chosen)
