"""The form of a page, given to it between Markdown and HTML, where the page is a tree: marks, tables, pictures."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from warmup.content.entry import Entry
from warmup.site import drawings, marks
from warmup.site.links import resolve

Tree = etree.Element


class Form(Extension):
    """What Python-Markdown calls for each page.

    Attributes:
        page: the question, exercise or trainer that is being rendered; None for other pages.
        url: the page's address below the site's root.
        docs: the folder whose files have the same addresses, diagrams among them.
    """

    def __init__(self, docs: Path) -> None:
        super().__init__()
        self.docs = docs
        self.page: Entry | None = None
        self.url = ""

    def extendMarkdown(self, md: Markdown) -> None:
        # MkDocs makes links relative to the page at 0, and the ids of headings are there from 5 on.
        md.treeprocessors.register(_Last(md, self), "warmup-last", -10)


class _Step(Treeprocessor):
    def __init__(self, md: Markdown, form: Form) -> None:
        super().__init__(md)
        self.form = form


class _Last(_Step):
    """Diagrams inline, and the marks by which products of the page cut it."""

    def run(self, root: Tree) -> None:
        self._diagrams(root)
        if self.form.page:
            _permalinks(root)
            for name, body in _bodies(root):
                if name == "they-ask-next":
                    _follow_ups(body)
                elif name == "listening-for":
                    _ladder(body)

    def _diagrams(self, root: Tree) -> None:
        """Put diagrams inline, so that they take the page's colors; the alternative text becomes their name."""
        number = itertools.count(1)
        for paragraph in root.iter("p"):
            if len(paragraph) != 1 or paragraph[0].tag != "img" or _said(paragraph.text, paragraph[0].tail):
                continue
            source = paragraph[0].get("src", "")
            path = self.form.docs / resolve(self.form.url, source)
            if source.endswith(".svg") and ":" not in source and path.is_file():  # else MkDocs reports it
                figure = drawings.inline(path, paragraph[0].get("alt", ""), f"figure-{next(number)}--")
                paragraph.remove(paragraph[0])
                paragraph.text = self.md.htmlStash.store(figure)


def _said(*texts: str | None) -> bool:
    return any((text or "").strip() for text in texts)


def _comment(text: str, tail: str | None = "") -> Tree:
    comment: Any = etree.Comment(text)  # an element by another tag
    comment.tail = tail
    return comment


def _permalinks(root: Tree) -> None:
    for heading in root.iter():
        for link in heading.findall("a[@class='headerlink']"):
            heading.insert(list(heading).index(link), _comment(marks.begin("permalink")))
            heading.append(_comment(marks.end("permalink")))


def _bodies(root: Tree) -> Iterator[tuple[str, list[Tree]]]:
    """Mark what stands below each H2; each as its heading's id and the elements."""
    heads = [place for place, child in enumerate(root) if child.tag == "h2"]
    found = [(root[at], list(root)[at + 1 : to]) for at, to in itertools.pairwise([*heads, len(root)])]
    for head, body in found:
        name = head.get("id", "")
        root.insert(list(root).index(head) + 1, _comment(marks.begin("body", name)))
        last = body[-1] if body else head
        place = list(root).index(last) + (1 if body else 2)
        root.insert(place, _comment(marks.end("body"), last.tail))
        last.tail = None
        yield name, body


def _follow_ups(body: list[Tree]) -> None:
    for fold in body:
        if fold.tag == "details" and "question" in fold.get("class", "").split():
            summary = fold[0]
            _inside(summary, "question")
            fold.insert(1, _comment(marks.begin("answer"), summary.tail))
            summary.tail = None
            fold.append(_comment(marks.end("answer")))


def _inside(element: Tree, kind: str) -> None:
    """Mark all that is in an element."""
    element.insert(0, _comment(marks.begin(kind), element.text))
    element.text = None
    element.append(_comment(marks.end(kind)))


def _ladder(body: list[Tree]) -> None:
    """Mark what stands behind the word in bold that begins a bullet."""
    for item in (item for element in body if element.tag == "ul" for item in element.findall("li")):
        first = item[0] if len(item) and item[0].tag == "p" else item
        if len(first) and first[0].tag == "strong" and not _said(first.text):
            grade, text = first[0], (first[0].tail or "").lstrip()
            colon = ":" if text.startswith(":") else ""
            grade.tail = f"{colon} "
            first.insert(1, _comment(marks.begin("grade", "".join(grade.itertext())), text.removeprefix(":").lstrip()))
            item.append(_comment(marks.end("grade")))
