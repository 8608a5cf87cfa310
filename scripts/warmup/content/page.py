"""A Markdown file taken apart: front matter, lines, sections and includes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn, Self

import yaml

from warmup.content import markdown, schema
from warmup.content.schema import Schema
from warmup.project import Problem, ProblemError, not_utf8, relative
from warmup.vocabulary import SECTIONS

# While the site is served, it outlives a build; a file that has changed is read again.
_cache: dict[tuple[Path, type], tuple[str, Page]] = {}


@dataclass(frozen=True)
class Section:
    """An H2 section, or an H3 part of one.

    Attributes:
        title: its role, where the heading begins with one: "Break it" of ``## Break it: Update too early``. Else all of
            the heading.
        line: where the heading stands.
        lines: what stands below it.
        fact: what the heading says behind the role.
    """

    title: str
    line: int
    lines: tuple[markdown.Line, ...]
    fact: str = ""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines).strip()

    @cached_property
    def parts(self) -> list[Section]:
        """What begins with an H3 of this section."""
        return _cut(self.lines, lambda line: line.part)


def _cut(lines: Iterable[markdown.Line], heading: Callable[[markdown.Line], str]) -> list[Section]:
    """What stands below each heading."""
    found: list[tuple[markdown.Line, list[markdown.Line]]] = []
    for line in lines:
        if heading(line):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
    sections = []
    for head, below in found:
        role, _, fact = heading(head).partition(": ")
        title, fact = (role, fact) if role in SECTIONS else (heading(head), "")
        sections.append(Section(title, head.number, tuple(below), fact))
    return sections


@dataclass(frozen=True)
class Include:
    """A snippet file that a page shows: its path below ``snippets/`` and the line that includes it."""

    path: str
    line: int
    fenced_as: str


@dataclass
class Page:
    """A Markdown file with its front matter taken apart.

    Attributes:
        path: the file.
        text: what it holds.
        schema: what its front matter may hold.
        meta: the front matter, without what its schema does not know and values that do not fit.
        unfit: the problems of these.
        body_line: the number of the first line below the front matter.

    Raises:
        ProblemError: the front matter is missing, is not closed, or is not a YAML mapping.
    """

    schema: ClassVar[Schema | None] = None

    path: Path
    text: str
    meta: dict = field(init=False)
    unfit: list[Problem] = field(init=False)
    body_line: int = field(init=False)

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        if lines[0].strip() != "---":
            self._fail(1, "The front matter is missing.", "Begin the file with --- , title: ..., --- .")
        try:
            end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == "---")
        except StopIteration:
            self._fail(1, "The front matter is not closed.", "End it with a line that holds only --- .")
        try:
            meta = yaml.load("\n".join(lines[1:end]), Loader=schema.Loader)
        except (yaml.YAMLError, ValueError) as error:  # a ValueError for a date such as 2026-02-30
            mark = getattr(error, "problem_mark", None)
            what = " ".join(str(getattr(error, "problem", None) or error).split())
            self._fail(
                mark.line + 2 if mark else 2,
                f"The front matter is not YAML: {what}.",
                "Quote a value that holds a colon, and indent with spaces.",
            )
        if not isinstance(meta, dict):
            self._fail(2, "The front matter is not a mapping.", "Write one `key: value` a line.")
        self.body_line = end + 2
        found = list(schema.wrong(self.schema, meta, "The front matter")) if self.schema is not None else []
        self.unfit = [Problem(relative(self.path), self.line_of(*place), *said) for place, *said in found]
        self.meta = {key: value for key, value in meta.items() if (key,) not in {place for place, *_ in found}}

    def _fail(self, line: int, message: str, fix: str) -> NoReturn:
        raise ProblemError(Problem(relative(self.path), line, message, fix))

    @classmethod
    def read(cls, path: Path) -> Self:
        """The page at ``path``, understood again only if its text has changed.

        Raises:
            ProblemError: it is no page.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ProblemError(not_utf8(path, error)) from error
        kept, page = _cache.get((path, cls), ("", None))
        if not isinstance(page, cls) or kept != text:
            page = cls(path, text)
            _cache[path, cls] = (text, page)
        return page

    def with_body(self, body: str) -> Self:
        """The same page with another text below its front matter, which is not read again."""
        page = object.__new__(type(self))
        for one in fields(self):  # and nothing that is derived from the text
            setattr(page, one.name, getattr(self, one.name))
        page.text = "\n".join([*self.text.split("\n")[: self.body_line - 1], body])
        return page

    def line_of(self, *place: str | int) -> int:
        """The line of the front matter that gives the value to which keys and numbers lead; 1 where none does."""
        return schema.line_in("\n".join(self.text.split("\n")[1 : self.body_line - 2]), place) + 1

    @property
    def title(self) -> str:
        return str(self.meta.get("title") or "")

    @cached_property
    def lines(self) -> list[markdown.Line]:
        """The body, its lines numbered as in the file."""
        return markdown.lines("\n".join(self.text.split("\n")[self.body_line - 1 :]), self.body_line)

    @cached_property
    def sections(self) -> list[Section]:
        """What begins with an H2, in order."""
        return _cut(self.lines, lambda line: line.heading)

    def section(self, title: str) -> Section | None:
        """The first section of this title, or else the first part of one; None where there is none."""
        every = (*self.sections, *(part for section in self.sections for part in section.parts))
        return next((section for section in every if section.title == title), None)

    @cached_property
    def includes(self) -> list[Include]:
        return [
            Include(match["path"], line.number, line.fence.info if line.fence else "")
            for line in self.lines
            if (match := line.include)
        ]
