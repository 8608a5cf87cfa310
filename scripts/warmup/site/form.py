"""The form of a page, given to it between Markdown and HTML, where the page is a tree: marks, tables, pictures."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor

from warmup.kinds.drills import Drill
from warmup.kinds.entry import Entry
from warmup.kinds.questions import Question, term
from warmup.site import drawings, marks
from warmup.site.links import resolve
from warmup.vocabulary import EXCEPTIONS, SECTIONS

Tree = etree.Element
# The mark between a page's story and what is deeper.
CUT = marks.begin("cut")
# What a row of a table holds at most that a phone shows as a row, in characters.
MOST_COLUMNS = 75
_EXCEPTIONS = EXCEPTIONS.lower().replace(" ", "-")
_CUT_OFF = ("deeper", "sources")
# What tells how a drill is solved, below the folded solution: its titles too.
_TELLING = ("they-ask-next", "listening-for")
# Every question page had these once: where one has no such heading now, links to it from elsewhere land at the cut.
_ONCE = ("why", "break-it", "myth")


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
        # The contents and the ids of headings are made at 5; MkDocs makes links relative to the page at 0.
        md.treeprocessors.register(_First(md, self), "warmup-first", 7)
        md.treeprocessors.register(_Last(md, self), "warmup-last", -10)


class _Step(Treeprocessor):
    def __init__(self, md: Markdown, form: Form) -> None:
        super().__init__(md)
        self.form = form


class _First(_Step):
    """Headings that begin with a role, tables that a phone stacks, and the terms in *Say it*."""

    def run(self, root: Tree) -> None:
        for table in root.iter("table"):
            _stack(table)
        if not isinstance(self.form.page, Question):
            return
        for heading in (child for child in root if child.tag in ("h2", "h3")):
            _role(heading)
        after = itertools.dropwhile(lambda child: child.text != "Say it", root)
        spoken = list(itertools.takewhile(lambda child: child.tag != "h2", itertools.islice(after, 1, None)))
        for text in self.form.page.terms:
            any(_marked(element, term(text)) for element in spoken)


class _Last(_Step):
    """Diagrams inline, the marks by which products of the page cut it, and what is folded below the cut."""

    def run(self, root: Tree) -> None:
        self._diagrams(root)
        if self.form.page:
            _permalinks(root)
            for name, body in _bodies(root):
                if name == "they-ask-next":
                    _follow_ups(body)
                elif name == "listening-for":
                    _ladder(body)
                if isinstance(self.form.page, Drill) and name in _TELLING:
                    _fold_away(root, body, self.form.page.spoiler_of_all)
        if isinstance(self.form.page, Question):
            _fold_deeper(root)

    def _diagrams(self, root: Tree) -> None:
        """Put diagrams inline, so that they take the page's colors; the alternative text becomes their name."""
        number = itertools.count(1)
        for paragraph in root.iter("p"):
            if len(paragraph) != 1 or paragraph[0].tag != "img" or _said(paragraph.text, paragraph[0].tail):
                continue
            source = paragraph[0].get("src", "")
            path = self.form.docs / resolve(self.form.url, source)
            if source.endswith(".svg") and ":" not in source and path.is_file():  # else MkDocs reports it
                name, caption = paragraph[0].get("alt", ""), paragraph[0].get("title", "")
                figure = drawings.inline(path, name, f"figure-{next(number)}--", caption)
                paragraph.remove(paragraph[0])
                paragraph.text = self.md.htmlStash.store(figure)


def _said(*texts: str | None) -> bool:
    return any((text or "").strip() for text in texts)


def _comment(text: str, tail: str | None = "") -> Tree:
    comment: Any = etree.Comment(text)  # an element by another tag
    comment.tail = tail
    return comment


def _role(heading: Tree) -> None:
    """Make a label of the role that a heading begins with. The anchor is the role's and outlives any wording."""
    role, colon, fact = (heading.text or "").partition(": ")
    if not colon or role not in SECTIONS:
        return
    heading.text = None
    label = etree.Element("span", {"class": "tw-role"})
    label.text, label.tail = role, fact
    etree.SubElement(label, "span", {"class": "tw-hidden"}).text = ": "
    heading.insert(0, label)
    heading.set("id", role.lower().replace(" ", "-"))
    heading.set("data-toc-label", "".join(heading.itertext()).removeprefix(f"{role}: "))


def _marked(element: Tree, word: re.Pattern) -> bool:
    """Mark the first place of a term in what an element says; whether there is one."""
    if element.tag == "mark":
        return False
    for place, text in enumerate([element.text, *(child.tail for child in element)]):
        if text and (found := word.search(text)):
            mark = etree.Element("mark", {"class": "tw-term"})
            mark.text, mark.tail = found[0], text[found.end() :]
            if place:
                element[place - 1].tail = text[: found.start()]
            else:
                element.text = text[: found.start()]
            element.insert(place, mark)
            return True
    return any(_marked(child, word) for child in element)


def _stack(table: Tree) -> None:
    """Give the cells of a wide table the names of their columns: on a phone they stand below each other."""
    # All cells of the head: the one above the names of rows may be a td.
    names = ["".join(cell.itertext()).strip() for cell in table.iterfind("thead/tr/*")]
    rows = table.findall("tbody/tr")
    widths = [max(map(len, column)) for column in zip(names, *(_texts(row) for row in rows), strict=False)]
    if sum(widths) <= MOST_COLUMNS:
        return
    table.set("data-stack", "")
    for cell, name in (pair for row in rows for pair in zip(row, names, strict=False)):
        if name:
            cell.set("data-column", name)


def _texts(row: Tree) -> list[str]:
    return ["".join(cell.itertext()) for cell in row]


def _fold_deeper(root: Tree) -> None:
    """Fold the parts below *Deeper*, but for that of the exceptions, and the sources; mark the cut above."""
    children = list(root)
    deeper = next((at for at, child in enumerate(children) if child.get("id") in _CUT_OFF), None)
    if deeper is None:
        return
    below = children[deeper:]
    for child in below:
        root.remove(child)
    root.append(_comment(CUT))
    present = {child.get("id") for child in children}
    for name in _ONCE:
        if name not in present:
            etree.SubElement(root, "div", {"id": name})
    part = root
    for child in below:
        if child.tag == "h2" and child.get("id") != "sources" or child.get("id") == _EXCEPTIONS:
            part = root
        elif child.tag in ("h2", "h3"):
            part = etree.SubElement(root, "details", {"class": "tw-deeper"})
            part = etree.SubElement(part, "summary")
            for link in child.findall("a[@class='headerlink']"):  # a link within a button is neither
                child.remove(link)
            part.append(child)
            part = root[-1]
            continue
        part.append(child)


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
        if (name := head.get("id", "")) in _CUT_OFF:
            continue
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
            if "first" in fold.get("class", "").split():
                etree.SubElement(summary, "span", {"class": "tw-asked"}).text = "Asked first"


def _fold_away(root: Tree, body: list[Tree], warning: str) -> None:
    """Fold all that stands below a heading; practice/attempt.js opens it where the page judged a right solution."""
    place = list(root).index(body[0])
    fold = etree.Element("details", {"class": "tw-spoiler"})
    etree.SubElement(fold, "summary", {"class": "tw-spoiler__warning"}).text = warning
    for child in body:
        root.remove(child)
        fold.append(child)
    root.insert(place, fold)


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
