"""A build of the site whose pages are done: what every export takes, each part made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from warmup.kinds.drills import Drill
from warmup.kinds.entry import Entry
from warmup.kinds.exercises import Exercise
from warmup.kinds.levels import Site
from warmup.kinds.questions import Question
from warmup.kinds.trainers import Trainer
from warmup.site import drills
from warmup.site.expand import Renderer
from warmup.site.links import relative_link
from warmup.site.sections import Sections

T = TypeVar("T")
Known = TypeVar("Known", bound=Entry)


@dataclass(frozen=True)
class Build:
    """A build of the site whose pages are done.

    Attributes:
        site: the questions, exercises and trainers. Each of them is meant where a question's id is named here.
        renderer: resolves includes in other pages, and knows what was recorded.
        contents: what is shown by question id, with links relative to the question's own page.
        folder: where the site is written.
        site_url: the site's address, ending in a slash; empty where it is not known.
        name: the site's name.
        summary: what the site is, in one sentence.
        kept: what ``once`` has made so far. Whoever serves hands it on from build to build.
    """

    site: Site
    renderer: Renderer
    contents: Mapping[str, Sections]
    folder: Path
    site_url: str
    name: str
    summary: str
    kept: dict[tuple[str, str], tuple[Sections, Any]] = field(default_factory=dict)

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

        A page that is rendered again is another object, also where it reads the same: so what its HTML does not show,
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

    def written(self, page: Known) -> Known:
        """The page as Markdown without markers.

        A copy in plain text has no box to write in: it says in words what the box offers.

        Raises:
            ProblemError: a marker cannot be resolved.
        """
        if not isinstance(page, Drill):
            return page
        link = relative_link(f"{page.folder_of_all}/")
        lines = (
            drills.plain(page, link) if line.marker and line.marker["name"] in drills.BOXES else line.text
            for line in page.lines
        )
        return page.with_body(self.renderer.without_markers("\n".join(lines), page.url, page.path))
