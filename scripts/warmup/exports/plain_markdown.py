"""Plain CommonMark from a page's source: code and outputs stand in fences of their own, folds are unfolded, formulas
stand between dollars, and links lead on to other copies."""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from warmup import vocabulary
from warmup.content import blocks, markdown, outputs, statements
from warmup.content.blocks import Block, Fenced, Prose
from warmup.kinds import navigation
from warmup.site.blocks import Shown
from warmup.site.expand import Renderer
from warmup.site.links import SNIPPET_URL

ABOUT = "about"

_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\\\((?P<formula>.+?)\\\)"
    r"|^(?P<indent> *)\\\[(?P<display>.+?)\\\](?= *$)"
    r"|!\[(?P<alt>[^\]]*)\]\((?P<image>[^)\s]+)(?: \"(?P<caption>[^\"]*)\")?\)"
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
        to_pages: whether links lead to pages, and not to their copies.
    """

    renderer: Renderer
    source: str
    link: Callable[[str], str]
    to_pages: bool = False

    def plain(self, rows: Sequence[markdown.Line], fold: str = "**{}**") -> str:
        """A part of the source as plain Markdown.

        Args:
            rows: the part, without markers.
            fold: how the question of an outermost fold is written.

        Raises:
            ProblemError: it includes a file that is not there.
        """
        return "".join(self.block(block, fold) for block in blocks.read(rows)).strip()

    def block(self, block: Block, fold: str = "**{}**") -> str:
        """A block as plain Markdown; arguments and errors as for ``plain``."""
        if isinstance(block, Prose):
            return self.prose(block.text)
        if isinstance(block, Fenced):
            return textwrap.indent(self._fenced(block), block.indent)
        return f"{fold.format(self.prose(block.title))}\n\n{self.plain(block.rows)}\n\n"

    def prose(self, text: str) -> str:
        """Text that is in no fence."""
        plain = re.sub(r"(?m)^(#+ .*?) *\{:.*\}$", r"\1", text)
        return _INLINE.sub(self._inline, re.sub(r"\n{3,}", "\n\n", plain))

    def _fenced(self, block: Fenced) -> str:
        """A fence without the options that this site's own Markdown gives it."""
        rows, language = "\n".join(block.rows), block.language
        if language == "plot":
            caption = f"\n{block.options['caption']}\n" if "caption" in block.options else ""
            return f"[Plot: {block.options['alt']}]({self.link(SNIPPET_URL + block.include)})\n{caption}"
        if block.include.endswith(".out"):
            found = self.renderer.output(self.renderer.snippets / block.include)
            if found is None:
                return f"Output: {outputs.NOT_RECORDED}. It {outputs.WHY_NOT_RECORDED}.\n"
            rows = found.text.rstrip("\n")
            if language == "statements":
                listed = enumerate(statements.read(rows), 1)
                return "".join(f"{number}. {vocabulary.label(level)}: {text}\n" for number, (level, _, text) in listed)
            return f"Output ({found.recorded}):\n\n{_block('text', rows)}{with_others(found)}"
        if block.include:
            rows = self.renderer.code(block.include, self.renderer.docs / self.source).rstrip("\n")
        name = f"{self.name(block)}\n\n" if "title" in block.options else ""
        return name + _block(language, rows, block.fence.mark)

    def name(self, block: Fenced) -> str:
        """The line above a program that says which file it is."""
        file = block.options["title"]
        return f"[{file}]({self.link(SNIPPET_URL + block.include)}):" if block.include else f"`{file}`:"

    def _inline(self, match: re.Match) -> str:
        if match["formula"]:
            return f"${match['formula']}$"
        if match["display"]:
            return f"{match['indent']}$${match['display']}$$"
        if match["image"]:
            caption = f"\n\n{match['caption']}" if match["caption"] else ""
            return f"[Diagram: {match['alt']}]({self._target(match['image'])}){caption}"
        if match["target"]:
            return f"]({self._target(match['target'])})"
        return match[0]

    def _target(self, link: str) -> str:
        path, hash_, anchor = link.partition("#")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), path)) if path else self.source
        return self.link(self.address(found) + hash_ + anchor)

    def address(self, source: str) -> str:
        """Where a link to a file below ``docs/`` leads: to its copy, else to its page, else to the file."""
        if not self.to_pages and (copy := copy_of(source)):
            return copy
        stem, ending = posixpath.splitext(source)
        return re.sub(r"(^|/)index/$", r"\1", f"{stem}/") if ending in (".md", ".ipynb") else source


def with_others(found: Shown) -> str:
    """What other versions of torch print, as Markdown."""
    return "".join(f"\nWith {name}:\n\n{_block('text', lines)}" for name, lines in found.others.items())


def _block(language: str, rows: str, mark: str = "```") -> str:
    return f"{mark}{language}\n{rows}\n{mark}\n"
