"""Plain CommonMark from a page's source: code and outputs stand in fences of their own, folds are unfolded, formulas
stand between dollars, and links lead on to other copies."""

from __future__ import annotations

import itertools
import posixpath
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from warmup import vocabulary
from warmup.content import markdown, navigation, statements
from warmup.site.expand import Renderer
from warmup.site.links import SNIPPET_URL, resolve

ABOUT = "about"

_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\\\((?P<formula>.+?)\\\)"
    r"|^(?P<indent> *)\\\[(?P<display>.+?)\\\](?= *$)"
    r"|!\[(?P<alt>[^\]]*)\]\((?P<image>[^)\s]+)\)"
    r"|\]\((?![a-z]+:)(?P<target>[^)\s]+)\)",
    re.M | re.S,
)


def copy_of(source: str) -> str:
    """Address of a page's Markdown copy.

    Args:
        source: the page's file below ``docs/``.

    Returns:
        The page's address with ``.md`` for the last slash. Empty for a page without a copy: the lists of questions,
        which ``llms.txt`` is, the notebooks, which can be downloaded, and the pages that are tools.
    """
    folder = posixpath.dirname(source)
    written = folder in (ABOUT, f"{ABOUT}/contributing", *navigation.PRACTICE)  # the pages of myths are derived
    known = written or folder.partition("/")[0] in vocabulary.LEVELS
    if not source.endswith(".md") or not known:
        return ""
    return re.sub(r"/index\.md$", ".md", source)


def literal(text: str) -> str:
    """Plain text so that Markdown takes nothing in it for markup."""
    return re.sub(r"[\\`*<\[\]]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


@dataclass(frozen=True)
class Writer:
    """Makes plain Markdown of what stands in one source file.

    Attributes:
        renderer: knows the outputs.
        source: the file below ``docs/``.
        link: makes an address below the site's root fit for where the Markdown will stand.
        page_url: the page for which its includes and markers were resolved; empty for the site's root.
    """

    renderer: Renderer
    source: str
    link: Callable[[str], str]
    page_url: str = ""

    def plain(self, rows: Sequence[markdown.Line], fold: str = "**{}**") -> str:
        """A part of the source as plain Markdown.

        Args:
            rows: the part, with nothing left to resolve.
            fold: how the question of an outermost fold is written.
        """
        return "".join(self._parts(rows, fold)).strip()

    def _parts(self, rows: Sequence[markdown.Line], fold: str) -> Iterator[str]:
        for part in markdown.split_folds(rows):
            if isinstance(part, markdown.Fold):
                body = self.plain(markdown.lines(part.text))
                yield f"{fold.format(self._prose(part.title))}\n\n{body}\n\n"
                continue
            for fence, lines in itertools.groupby(part, key=lambda line: line.fence):
                texts = [line.text for line in lines]
                yield self._fence(fence, texts) if fence else self._prose("\n".join(texts) + "\n")

    def _prose(self, text: str) -> str:
        return _INLINE.sub(self._inline, re.sub(r"\n{3,}", "\n\n", text))

    def _fence(self, fence: markdown.Fence, rows: list[str]) -> str:
        """A fence without the options that this site's own Markdown gives it; ``rows`` include the marks."""
        language, _, rest = fence.info.partition(" ")
        options = dict(re.findall(r'(\w+)="([^"]*)"', rest))
        indent = rows[0].partition(fence.mark)[0]
        before = after = ""
        if language == "plot":
            return f"{indent}[Plot: {options['alt']}]({self.link(SNIPPET_URL + options['file'])})\n"
        if language == "statements":
            listed = enumerate(statements.read("\n".join(rows[1:-1])), 1)
            texts = [f"{indent}{number}. {vocabulary.label(level)}: {text}" for number, (level, _, text) in listed]
            return "\n".join(texts) + "\n"
        if language == "output" and "file" in options:
            language = "text"
            found = self.renderer.output(self.renderer.snippets / options["file"])
            if found is None:
                return f"{indent}Output: {vocabulary.NOT_RECORDED}. It {vocabulary.WHY_NOT_RECORDED}.\n"
            before = f"Output ({found.recorded}):\n\n"
            after = "".join(f"\nWith {name}:\n\n```text\n{lines}\n```\n" for name, lines in found.others.items())
        elif file := options.get("title"):
            before = f"`{file}`:\n\n"
            if download := options.get("download"):
                before = f"[{file}]({self.link(resolve(self.page_url, download))}):\n\n"
        block = "\n".join([f"{indent}{fence.mark}{language}", *rows[1:]])
        return f"{textwrap.indent(before, indent)}{block}\n{textwrap.indent(after, indent)}"

    def _inline(self, match: re.Match) -> str:
        if match["formula"]:
            return f"${match['formula']}$"
        if match["display"]:
            return f"{match['indent']}$${match['display']}$$"
        if match["image"]:
            return f"[Diagram: {match['alt']}]({self._target(match['image'])})"
        if match["target"]:
            return f"]({self._target(match['target'])})"
        return match[0]

    def _target(self, link: str) -> str:
        path, hash_, anchor = link.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), path)) if path else self.source
        return self.link(_address(found) + hash_ + anchor)


def _address(source: str) -> str:
    """Where a link to a file below ``docs/`` leads: to its copy, else to its page, else to the file."""
    if copy := copy_of(source):
        return copy
    stem, ending = posixpath.splitext(source)
    return re.sub(r"(^|/)index/$", r"\1", f"{stem}/") if ending in (".md", ".ipynb") else source
