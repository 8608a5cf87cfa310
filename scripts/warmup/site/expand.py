"""From a page's plain source to Markdown that any engine with superfences renders: includes and markers resolved.

Everything here and in the other modules that it calls works on strings and files, and knows nothing of MkDocs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from warmup.content import header, markdown, outputs
from warmup.kinds import puzzles
from warmup.kinds.drills import Drill
from warmup.kinds.levels import Site
from warmup.project import ROOT, Problem, ProblemError, relative
from warmup.site import blocks, drills, markers, schema, topic_pages
from warmup.site.links import SNIPPET_URL, relative_link
from warmup.vocabulary import NEEDS


@dataclass
class Renderer:
    """Expands page sources for one build of the site."""

    site: Site
    root: Path = ROOT
    label: Callable[[str], str] = lambda name: ""  # what stands in front of a program that one downloads
    judged: Callable[[Drill], bool] = lambda page: False  # whether a page itself judges what a reader writes
    # What was read once: a page, its copies and its cards ask for the same files.
    _outputs: dict[Path, blocks.Shown | None] = field(default_factory=dict, init=False, repr=False)
    _code: dict[Path, str] = field(default_factory=dict, init=False, repr=False)

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    @property
    def snippets(self) -> Path:
        return self.root / "snippets"

    @cached_property
    def figures(self) -> markers.Figures:
        return markers.figures(self.site, self.root)

    @cached_property
    def puzzles(self) -> dict[str, list[puzzles.Puzzle]]:
        """The puzzles that have no problem, by the id of the topic that explains them."""
        return topic_pages.good_puzzles(self.site, self.snippets)

    @cached_property
    def topic_pages(self) -> dict[str, str]:
        """The sources of the pages that are derived for each topic, by their names below ``docs/``."""
        return dict(topic_pages.sources(self.site, self.puzzles, self.docs, self.snippets))

    def expand(self, text: str, page_url: str, where: Path) -> str:
        """Resolve includes and markers of one page; a fence that holds a snippet says where the file can be downloaded.

        Args:
            text: the page without its front matter.
            page_url: the page's address below the site's root, to make links relative to.
            where: the page's file, for messages.

        Raises:
            ProblemError: an include or a marker cannot be resolved.
        """
        lines: list[str] = []
        opening = 0  # the index in lines of the fence that was opened last
        for line in markdown.lines(self.without_markers(text, page_url, where)):
            if line.opens:
                opening = len(lines)
            if include := line.include:
                body, options = self._include(include["path"], line.fence, page_url, where)
                if line.fence:
                    lines[opening] += options
                lines += [f"{include['indent']}{row}".rstrip() for row in body.rstrip("\n").split("\n")]
            else:
                lines.append(line.text)
        return "\n".join(lines)

    def without_markers(self, text: str, page_url: str, where: Path) -> str:
        """The text with what each marker stands for in its place; arguments and errors as for ``expand``."""
        if "<!-- warmup:" not in text:
            return text
        lines: list[str] = []
        for line in markdown.lines(text):
            marker = line.marker
            found = self._marker(marker, page_url, where) if marker else [line.text]
            lines += [f"{marker['indent']}{row}".rstrip() for row in found] if marker else found
        return "\n".join(lines)

    def code(self, name: str, where: Path) -> str:
        """A file below ``snippets/`` as a page shows it.

        Raises:
            ProblemError: it is not there; ``where`` is the page that includes it.
        """
        path = self.snippets / name
        if path not in self._code:
            if not path.is_file():
                message = f"It includes snippets/{name}, which does not exist."
                raise ProblemError(Problem(relative(where), 0, message, "Write the snippet, or fix the path."))
            self._code[path] = blocks.code(path)
        return self._code[path]

    def output(self, path: Path) -> blocks.Shown | None:
        """What an ``.out`` file holds and what a page says about it; None where no run has recorded it."""
        if path not in self._outputs:
            self._outputs[path] = blocks.shown(path, self.figures.torch)
        return self._outputs[path]

    def _include(self, name: str, fence: markdown.Fence | None, page_url: str, where: Path) -> tuple[str, str]:
        """What an include becomes, and the options that its fence gets."""
        path = self.snippets / name
        if name.endswith(".out"):
            found = self.output(path)
            return found.text if found else outputs.NOT_RECORDED, f' file="{name}"'
        if name.endswith(".svg"):
            return "a plot", f' file="{name}"'
        code = self.code(name, where)
        if fence and fence.info.split(maxsplit=1)[:1] == ["python"]:
            head = header.of(path)
            needs = ", ".join([*(NEEDS[need] for need in sorted(head.needs.difference(head.packages))), *head.packages])
            options = f' download="{relative_link(page_url)(SNIPPET_URL + name)}"'
            return code, options + (f' needs="{needs}"' if needs else "")
        return code, ""

    def _marker(self, marker: re.Match, page_url: str, where: Path) -> list[str]:
        """The lines of Markdown that stand for a marker."""
        name = marker["name"]
        texts = {
            "contributing": lambda: markers.contributing(self.root, where),
            "myths": lambda: markers.myths(self.site, self.docs, where),
            "schema": schema.table,
        }
        if name in texts:
            return texts[name]()
        if name in drills.MARKERS:
            page = self.site.drills_by_id.get("/".join((*where.parts[-3:-1], where.stem)))
            return drills.marker(name, page, self.snippets, relative_link(page_url), where, self.label, self.judged)
        if name not in (fragments := markers.fragments()):
            raise ProblemError(
                Problem(
                    relative(where),
                    0,
                    f"Unknown marker warmup:{name}.",
                    f"Known: {', '.join(sorted([*fragments, *texts, *drills.MARKERS]))}.",
                )
            )
        return markers.fragment(
            name,
            site=self.site,
            figures=self.figures,
            puzzles=self.puzzles,
            root=self.root,
            link=relative_link(page_url),
            arguments=dict(argument.split("=") for argument in marker["arguments"].split()),
        )
