"""Programs as readers download them: in front stands what each is, where it is from, and what it was run with.

The files of the project have none of this, nor do the programs on the pages. What runs a page's program gets its text
from there.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from warmup import licenses
from warmup.content import header, outputs, sources, versions
from warmup.kinds.levels import Site
from warmup.project import ROOT

WIDTH = 84  # columns, as in the programs themselves


@dataclass(frozen=True)
class Labels:
    """What stands in front of each program that the site offers.

    Attributes:
        site: the pages.
        name: the site's name.
        address: the site's address, ending in a slash; empty where it is not known.
        root: the project.
    """

    site: Site
    name: str
    address: str = ""
    root: Path = ROOT

    def label(self, program: str) -> str:
        """The comment for a program, with an empty line at its end.

        Args:
            program: its name below ``snippets/``.
        """
        title, url = self._pages.get(program, ("", ""))
        lines = textwrap.wrap(title, WIDTH - 2)
        if url and self.address:
            lines.append(self.address + url)
        lines.append(f"From {self.name}, under the {licenses.CODE} license.")
        lines += textwrap.wrap(self._tested(program), WIDTH - 2)
        return "".join(f"# {line}\n" for line in lines) + "\n"

    def labelled(self, program: str, text: str) -> str:
        """A program's text below its label."""
        return self.label(program) + text.lstrip("\ufeff\n")

    @cached_property
    def _pages(self) -> dict[str, tuple[str, str]]:
        """Title and address below the root of the page that a program belongs to, or of the first that shows it."""
        found: dict[str, tuple[str, str]] = {}
        for question in self.site.questions:
            for name in question.snippets:
                if name not in found or _is_own(name, question.id):
                    found[name] = (question.title, question.url)
        for page in self.site.drills:
            for name in (page.start, page.answer, page.judge, *page.snippets):
                found[name] = (page.title, page.url)
        for puzzle in self.site.puzzles:
            if about := puzzle.question:
                address = f"practice/predict/{about.level}/{about.topic}/#{puzzle.slug}"
                found[puzzle.program] = (f"Predict the output: {puzzle.page.meta.get('title')}", address)
        return found

    def _tested(self, program: str) -> str:
        """With which torch a program was run, and on what."""
        path = self.root / "snippets" / program
        output = outputs.read(outputs.output_file(path))
        if output is None and "cuda" in header.of(path).needs:
            return "It needs a CUDA GPU. No run of ours has had one so far, so it is not tested."
        if output and output.provenance:
            return f"Its output was {output.provenance}."
        with_torch = f"with torch {self._torch}, CPU."
        return f"Its output was recorded {with_torch}{self._also}" if output else f"Tested {with_torch}{self._also}"

    @cached_property
    def _torch(self) -> str:
        return outputs.recorded_torch(self.root)

    @cached_property
    def _also(self) -> str:
        """With which other versions of torch all programs were run, those of today among them."""
        known = versions.read(self.root)
        others = [one.torch for one in known if one.torch != self._torch and one.outputs >= self._runnable]
        return f" All programs of the site were also run with torch {' and '.join(others)}." if others else ""

    @cached_property
    def _runnable(self) -> int:
        """How many programs a run without a GPU compares."""
        programs = outputs.programs(self.root / "snippets")
        texts = (sources.files(path)[0].read_bytes().decode("utf-8", "replace") for path in programs)
        return sum(not re.search(r"^# needs = .*cuda", text, re.M) for text in texts)


def _is_own(program: str, question: str) -> bool:
    """Whether a program stands at the path of a question: ``a/b/c_d_e.py`` for ``a/b/c-d``."""
    folder, _, slug = question.rpartition("/")
    return re.fullmatch(rf"{re.escape(folder)}/{slug.replace('-', '_')}(_\w+)?\.py", program) is not None
