"""Marks in a page's HTML: comments that the build puts around what products of the page take, and cuts it by.

They are in no file that the build writes.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"<!--/?tw [\w -]+-->")


def begin(kind: str, name: str = "") -> str:
    """The text of the comment that begins a part; parts of one kind do not lie in each other."""
    return f"tw {kind} {name}".rstrip()


def end(kind: str) -> str:
    """The text of the comment that ends a part."""
    return f"/tw {kind}"


def around(kind: str, content: str, name: str = "") -> str:
    """HTML between its two marks."""
    return f"<!--{begin(kind, name)}-->{content}<!--{end(kind)}-->"


def parts(kind: str, content: str) -> list[tuple[str, str]]:
    """The parts of a kind as (name, HTML)."""
    return re.findall(rf"<!--tw {kind} ?([\w-]*)-->(.*?)<!--/tw {kind}-->", content, re.S)


def without(kind: str, content: str) -> str:
    """HTML without the parts of a kind."""
    return re.sub(rf"<!--tw {kind}\b[^>]*-->.*?<!--/tw {kind}-->", "", content, flags=re.S)


def bare(content: str) -> str:
    """HTML without marks: what readers get."""
    return _MARK.sub("", content)
