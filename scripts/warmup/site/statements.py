"""Statements to judge true or false, as HTML."""

from __future__ import annotations

import html

from warmup import vocabulary
from warmup.content import statements


def fence(source: str, language: str, css_class: str, options: dict, md, **_) -> str:
    """Formatter of ```` ```statements ````: a list to read, which a script makes one to answer.

    The answers are in it for the script; a reader without one finds them in the program's output on the page.
    """
    items = "".join(
        f'<li data-level="{vocabulary.label(level)}" data-truth="{"true" if truth else "false"}">'
        f'<span class="tw-statement">{html.escape(text, quote=False)}</span></li>'
        for level, truth, text in statements.read(source)
    )
    return f'<ol class="tw-statements">{items}</ol>'
