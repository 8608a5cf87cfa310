"""A build of the site whose pages are done: what every export takes, each part made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from warmup.content.coding import Coding
from warmup.content.exercises import Exercise
from warmup.content.levels import Site
from warmup.content.questions import Question
from warmup.content.trainers import Trainer
from warmup.exports.sections import Sections
from warmup.site import coding
from warmup.site.expand import Renderer
from warmup.site.links import relative_link

T = TypeVar("T")
Known = TypeVar("Known", bound=Question | Coding)


@dataclass(frozen=True)
class Build:
    """A build of the site whose pages are done.

    Attributes:
        site: the questions, exercises and trainers. Each of them is meant where a question's id is named here.
        renderer: resolves includes in other pages, and knows what was recorded.
        sources: Markdown by question id, with includes and markers resolved for the question's own page; none where
            that failed.
        contents: HTML by question id, as each question's own page shows it, with links relative to that page.
        folder: where the site is written.
        site_url: the site's address, ending in a slash; empty where it is not known.
        name: the site's name.
        summary: what the site is, in one sentence.
        kept: what ``once`` has made so far. Whoever serves hands it on from build to build.
    """

    site: Site
    renderer: Renderer
    sources: Mapping[str, str]
    contents: Mapping[str, str]
    folder: Path
    site_url: str
    name: str
    summary: str
    kept: dict[tuple[str, str], tuple[str, Any]] = field(default_factory=dict)

    @property
    def questions(self) -> list[Question]:
        """Those that have HTML, in the site's order."""
        return [question for question in self.site.questions if question.id in self.contents]

    @property
    def exercises(self) -> list[Exercise]:
        """Those that have HTML, in the site's order."""
        return [page for page in self.site.exercises if page.id in self.contents]

    @property
    def trainers(self) -> list[Trainer]:
        """Those that have HTML, in the site's order."""
        return [page for page in self.site.trainers if page.id in self.contents]

    def write(self, url: str, text: str) -> None:
        """Write a file below the site's root."""
        path = self.folder / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def link(self, where: str) -> Callable[[str], str]:
        """Makes addresses below the site's root absolute, or relative to ``where`` if the site's own is not known.

        Args:
            where: the address of a page, or the folder of a file.
        """
        if self.site_url:
            return lambda url: self.site_url + url
        return relative_link(where)

    def remembered(self, name: str, question: Known, make: Callable[[Known], T]) -> T:
        """What ``make`` gives for a question, made again only where its page was rendered again.

        A page that is rendered again is another string, also where it reads the same: so what its HTML does not show,
        such as the header of a snippet or the title of a related page, is not kept too long either.

        Args:
            name: names what is made, to keep it by.
            question: one that has HTML.
            make: makes it.
        """
        content = self.contents[question.id]
        kept = self.kept.get((name, question.id))
        if kept is None or kept[0] is not content:
            kept = self.kept[name, question.id] = (content, make(question))
        return kept[1]

    def sections(self, question: Known) -> Sections:
        """The question's HTML, cut."""
        return self.remembered("sections", question, lambda question: Sections.of(question, self.contents[question.id]))

    def expanded(self, question: Known) -> Known | None:
        """The question with nothing to resolve in its Markdown; None where that failed, which its page has reported."""
        return self.remembered("expanded", question, self._expanded)

    def _expanded(self, question: Known) -> Known | None:
        if question.id not in self.sources:
            return None
        if isinstance(question, Question):
            return question.with_body(self.sources[question.id])
        # A copy in plain text has no box to write in: it says in words what the box offers.
        link = relative_link(f"{question.folder_of_all}/")
        lines = (
            coding.plain(question, link) if line.marker and line.marker["name"] in coding.BOXES else line.text
            for line in question.lines
        )
        return question.with_body(self.renderer.expand("\n".join(lines), question.url, question.path))
