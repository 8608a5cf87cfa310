"""From a page's plain source to what the site shows: includes, derived lists, outputs, math, diagrams.

Everything works on strings, so that any Markdown engine with superfences could call it; ``scripts/hooks.py``
is the only caller that knows MkDocs.
"""

from __future__ import annotations

import difflib
import hashlib
import html
import itertools
import os
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jinja2
import math_core
import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from warmup import vocabulary
from warmup.checks import puzzles as puzzle_checks
from warmup.content import header, markdown, outputs, puzzles, versions
from warmup.content.levels import Site
from warmup.content.questions import Question
from warmup.project import ROOT, Problem, ProblemError, relative, replace_file
from warmup.site import notebook, schema
from warmup.site.links import rebase, relative_link, relocated, source_link

# An error's name with its text behind it, wherever it stands in the line, or alone on a line.
ERROR_LINE = re.compile(
    r"(?:^|.*\s)(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Unsupported|Mismatch):\s"
    r"|\s*(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Unsupported)$|Traceback "
)
SNIPPET_URL = "snippets/"


@dataclass(frozen=True)
class Figures:
    """Live figures for the front door and the page about verification."""

    questions: int
    snippets: int
    outputs: int
    unrecorded: int
    claims: int
    torch: str


@dataclass(frozen=True)
class Shown:
    """A recorded output as a page shows it.

    text: what was printed. recorded: with which torch, where, and how far numbers vary. others: for each range of
    torch that prints something else, the lines that differ.
    """

    text: str
    recorded: str
    others: dict[str, str]


@dataclass
class Renderer:
    """Expands page sources for one build of the site."""

    site: Site
    root: Path = ROOT

    @property
    def snippets(self) -> Path:
        return self.root / "snippets"

    @cached_property
    def figures(self) -> Figures:
        shown = [self.snippets / name for name in self.site.snippets]
        recorded = [p for p in shown if p.with_suffix(".out").exists()]
        return Figures(
            questions=len(self.site.questions),
            snippets=len(shown),
            outputs=len(recorded),
            unrecorded=sum(1 for p in shown if not p.with_suffix(".out").exists()),
            claims=count_claims(self.root / "tests" / "snippets"),
            torch=outputs.recorded_torch(self.root),
        )

    @cached_property
    def _fragments(self) -> jinja2.Environment:
        return jinja2.Environment(
            loader=jinja2.FileSystemLoader(ROOT / "scripts" / "theme" / "fragments"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )

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
        for line in markdown.lines(text):
            if line.opens:
                opening = len(lines)
            if include := line.include:
                body, options = self._include(include["path"], line.fence, page_url, where)
                if line.fence:
                    lines[opening] += options
                lines += [f"{include['indent']}{row}".rstrip() for row in body.rstrip("\n").split("\n")]
            elif marker := line.marker:
                lines += self._marker(marker, page_url, where, line.number)
            else:
                lines.append(line.text)
        return "\n".join(lines)

    def _include(self, name: str, fence: markdown.Fence | None, page_url: str, where: Path) -> tuple[str, str]:
        """What an include becomes, and the options that its fence gets."""
        path = self.snippets / name
        if name.endswith(".out"):
            found = self.output(path)
            return found.text if found else "not recorded yet", f' file="{name}"'
        if not path.is_file():
            raise ProblemError(
                Problem(
                    relative(where),
                    0,
                    f"It includes snippets/{name}, which does not exist.",
                    "Write the snippet, or mend the path.",
                )
            )
        if fence and fence.info.split(maxsplit=1)[:1] == ["python"]:
            return self.code(name), f' download="{relative_link(page_url)(SNIPPET_URL + name)}"'
        return self.code(name), ""

    def code(self, name: str) -> str:
        """The snippet as a page shows it: the PEP 723 block is in the file that one downloads."""
        return outputs.without_header((self.snippets / name).read_text(encoding="utf-8"))

    def output(self, path: Path) -> Shown | None:
        """What an ``.out`` file holds and what a page says about it; None where no run has recorded it."""
        found = outputs.read(path)
        if found is None:
            return None
        recorded = found.provenance or f"torch {self.figures.torch}, CPU"
        try:
            kind = header.parse(path.with_suffix(".py").read_text(encoding="utf-8"), path)
        except (OSError, header.HeaderError):
            kind = header.Header()  # reported by checks.problems
        if kind.output == "measured":
            recorded += f"; numbers vary between machines within {kind.tolerance * 100:g} %"
        others = {}
        for variant in outputs.variants(path):
            if other := outputs.read(variant.path):
                others[variant.name] = outputs.changed_lines(found.text, other.text)
        return Shown(found.text, recorded, others)

    def output_fence(self, source: str, language: str, css_class: str, options: dict, md, **_) -> str:
        """Formatter of ```` ```output ````: what a run printed, with the lines that are errors marked as such."""
        if "file" not in options:
            return output_block(source)
        found = self.output(self.snippets / options["file"])
        if found is None:
            return (
                '<div class="tw-output tw-output--missing"><p><strong>Not recorded yet.</strong> '
                "This snippet needs hardware that no run of ours has had so far. "
                "Its output appears here once a run on a real device has printed it.</p></div>"
            )
        return output_block(source, found.recorded, found.others)

    def _marker(self, marker: re.Match, page_url: str, where: Path, number: int) -> list[str]:
        name = marker["name"]
        arguments = dict(a.split("=") for a in marker["arguments"].split())
        if name == "myths":
            return self._myths(page_url, where)
        if name == "puzzles":
            return self._puzzles(page_url, where)
        if name == "schema":
            return schema.table()
        if name == "contributing":
            return (self.root / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n")[1:]
        try:
            template = self._fragments.get_template(f"{name}.html")
        except jinja2.TemplateNotFound:
            known = [
                *sorted(Path(n).stem for n in self._fragments.list_templates()),
                "contributing",
                "myths",
                "puzzles",
                "schema",
            ]
            raise ProblemError(
                Problem(relative(where), 0, f"Unknown marker warmup:{name}.", f"Known: {', '.join(known)}.")
            ) from None
        text = template.render(
            site=self.site,
            figures=self.figures,
            kinds=vocabulary.KINDS,
            versions=versions.read(self.root),
            link=relative_link(page_url),
            **{"level": None, "topic": None, **arguments},
        )
        # A blank line would end the raw HTML block in Markdown.
        return ["", *[line for line in text.split("\n") if line.strip()], ""]

    def _myths(self, page_url: str, where: Path) -> list[str]:
        """Every *Myth* section, under a heading that links to its page; ``where`` is the file that shows them."""
        lines: list[str] = []
        for question in self.site.questions:
            if myth := question.section("Myth"):
                source = source_link(question.path, where)
                text = self.expand(rebase(myth.text, question.path, where), page_url, question.path)
                lines += [
                    "",
                    f"## {question.short}",
                    "",
                    f"From [{as_text(question.title)}]({source}#myth) · {question.level_label}, {question.topic_label}",
                    "",
                    text,
                    "",
                ]
        return lines

    def _puzzles(self, page_url: str, where: Path) -> list[str]:
        """Every puzzle, each a section; ``where`` is the file that shows them. One with a problem is left out."""
        lines: list[str] = []
        for puzzle in self.site.puzzles:
            if not any(puzzle_checks.problems(puzzle, self.snippets)):
                lines += self._puzzle(puzzle, page_url, where)
        return lines

    def _puzzle(self, puzzle: puzzles.Puzzle, page_url: str, where: Path) -> list[str]:
        question, choices = puzzle.question, puzzle.shuffled(self.snippets)
        key = next(number for number, (_, wrong) in enumerate(choices) if wrong is None)
        program = self.code(puzzle.program)
        lines = [
            f'<section class="tw-puzzle" data-level="{question.level}" data-topic="{question.level}/{question.topic}" '
            f'data-key="{key}" markdown="1">',
            "",
            f"## {as_text(puzzle.page.title)} {{ #{puzzle.slug} }}",
            "",
            f'<p class="tw-puzzle__place">{question.level_label}, {html.escape(question.topic_label)}</p>',
            "",
            f'```python title="{posixpath.basename(puzzle.program)}"',
            f'--8<-- "{puzzle.program}"',
            "```",
            "",
            '<fieldset class="tw-guesses">',
            "<legend>What does it print?</legend>",
            *(
                f'<label class="tw-guess"><input type="radio" name="{puzzle.slug}"> {_inline_output(output)}</label>'
                for output, _ in choices
            ),
            "</fieldset>",
            "",
            '<details class="tw-answer" markdown="1">',
            "<summary>Answer</summary>",
            "",
            "```output",
            f'--8<-- "{puzzle.output}"',
            "```",
            "",
            rebase(puzzle.why, puzzle.page.path, where),
            "",
            f"Read more: [{as_text(question.title)}]({source_link(question.path, where)})",
            "",
        ]
        for number, (output, wrong) in enumerate(choices):
            if wrong:
                lines += [f'<div class="tw-mistake" data-choice="{number}" markdown="1">', ""]
                if wrong.variant:
                    lines += [
                        f"<p>{_inline_output(output)} is what you get with this change:</p>",
                        "",
                        diff_block(program, self.code(wrong.variant)),
                        "",
                    ]
                else:
                    lines += [f"<p>{_inline_output(output)} comes from a misconception:</p>", ""]
                lines += [rebase(wrong.because, puzzle.page.path, where), "", "</div>", ""]
        lines += ["</details>", "", "</section>", ""]
        return self.expand("\n".join(lines), page_url, puzzle.page.path).split("\n")


def as_text(text: str) -> str:
    """Plain text so that Markdown takes nothing in it for markup."""
    return re.sub(r"[\\`*_{}\[\]]", r"\\\g<0>", html.escape(text, quote=False))


def _inline_output(output: str) -> str:
    """What a program printed, within a sentence; its line breaks outlive the Markdown around it."""
    return f"<code>{html.escape(output, quote=False)}</code>".replace("\n", "&#10;")


def diff_block(old: str, new: str) -> str:
    """The lines in which two programs differ, with a line of each side to find the place, as HTML."""
    rows = []
    for line in list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm=""))[2:]:
        text = html.escape(line, quote=False)
        if line.startswith("@@"):
            if rows:
                rows.append("…")
        else:
            rows.append({"-": f"<del>{text}</del>", "+": f"<ins>{text}</ins>"}.get(line[0], text))
    return f'<pre class="tw-diff">{"&#10;".join(rows)}</pre>'


HIGHLIGHTED = ROOT / ".cache" / "highlight"
# Names and spaces have the color of plain code: their markup is a third of a snippet's HTML and shows nothing.
_PLAIN = re.compile(r'<span class="[nw]">([^<]*)</span>')
_formatter = HtmlFormatter(nowrap=True)


def python_fence(source: str, language: str, css_class: str, options: dict, md, **_) -> str:
    """Formatter of ```` ```python ````: Pygments' markup under the file's name, as pymdownx.highlight writes it.

    Pygments is the half of a build, and a snippet seldom changes: its markup is kept by content, across builds.
    """
    key = hashlib.sha256(f"{pygments.__version__} {_PLAIN.pattern}\n{source}".encode()).hexdigest()
    kept = HIGHLIGHTED / f"{key[:32]}.html"
    try:
        code = kept.read_text(encoding="utf-8")
    except OSError:
        code = _PLAIN.sub(r"\1", pygments.highlight(source, PythonLexer(), _formatter))
        HIGHLIGHTED.mkdir(parents=True, exist_ok=True)
        replace_file(kept, code)
    title, download = (html.escape(options.get(name) or "") for name in ("title", "download"))
    link = (
        (
            f'<a class="tw-download" href="{download}" download aria-label="Download {posixpath.basename(download)}">'
            "Download</a>"
        )
        if download
        else ""
    )
    bar = f'<span class="filename">{title}{link}</span>' if title else ""
    return f'<div class="highlight">{bar}<pre><span></span><code>{code}</code></pre></div>'


def python_fence_options(language: str, inputs: dict, options: dict, attrs: dict, md) -> bool:
    """Validator of ```` ```python ````: accepts ``title`` and ``download``, the address of the whole file."""
    options.update(inputs)
    return set(inputs) <= {"title", "download"}


def output_block(source: str, recorded: str = "", others: Mapping[str, str] | None = None) -> str:
    """What a run printed, as HTML, with what it was recorded with and what other versions of torch print."""
    variants = "".join(
        f'<details class="tw-output__other"><summary>With {html.escape(name)}</summary>'
        f'<pre tabindex="0"><code>{_rows(lines)}</code></pre></details>'
        for name, lines in (others or {}).items()
    )
    return (
        '<div class="tw-output"><p class="tw-output__bar"><span class="tw-output__label">Output</span>'
        + (f'<span class="tw-output__with">{html.escape(recorded)}</span>' if recorded else "")
        + f'</p><pre tabindex="0"><code>{_rows(source)}</code></pre>{variants}</div>'
    )


def _rows(text: str) -> str:
    rows = []
    for line in text.split("\n"):
        escaped = html.escape(line, quote=False)
        rows.append(f'<span class="tw-error">{escaped}</span>' if ERROR_LINE.match(line) else escaped)
    return "\n".join(rows)


def output_fence_options(language: str, inputs: dict, options: dict, attrs: dict, md) -> bool:
    """Validator of ```` ```output ````: accepts ``file``, the recorded output that it shows."""
    options.update(inputs)
    return set(inputs) <= {"file"}


def finish(content: str, docs_folder: Path) -> str:
    """The rendered page with notebooks flat, math as MathML, and diagrams inline.

    Raises:
        ValueError: a formula is not LaTeX that the converter knows.
    """
    if notebook.MARK in content:
        content = notebook.flatten(content, output_block)
    content = _math(content)
    content = _diagrams(content, docs_folder)
    # A table's empty corner is no header: screen readers would announce one without a name.
    return re.sub(r"<th( [^>]*)?></th>", r"<td\1></td>", content)


_ARITHMATEX = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">(?:\\\((?P<inline>.+?)\\\)|\\\[(?P<block>.+?)\\\])</(?P=tag)>', re.S
)


def _math(content: str) -> str:
    if "arithmatex" not in content:
        return content
    converter = math_core.LatexToMathML(fancy_error=False)

    def convert(match: re.Match) -> str:
        inline = match["inline"] is not None
        latex = html.unescape(match["inline"] or match["block"]).strip()
        try:
            mathml = converter.convert_with_local_state(latex, displaystyle=not inline)
        except math_core.LatexError as error:
            raise ValueError(f"The formula {latex!r} does not convert: {error}. Write it in other LaTeX.") from error
        return mathml if inline else f'<div class="tw-math" tabindex="0">{mathml}</div>'

    return _ARITHMATEX.sub(convert, content)


_SVG_IMAGE = re.compile(r'<p><img alt="(?P<alt>[^"]*)" src="(?P<src>[^":]+\.svg)" ?/?></p>')


def _diagrams(content: str, docs_folder: Path) -> str:
    """Put diagrams inline, so that they take the page's colors; the alternative text becomes their name."""
    number = itertools.count(1)

    def inline(match: re.Match) -> str:
        path = docs_folder / posixpath.basename(match["src"])
        if not path.is_file():
            return match[0]  # MkDocs reports the missing file
        svg = re.sub(r"(?s)^.*?(?=<svg)", "", path.read_text(encoding="utf-8"))
        svg = re.sub(r"(?s)<title>.*?</title>|<!--.*?-->", "", svg)
        svg = re.sub(r"\s*\n\s*", " ", svg)  # Anki's library warns of a tag that has line breaks
        # Programs that draw give every drawing the same ids.
        svg = relocated(svg, f"figure-{next(number)}--", lambda address: address)
        svg = svg.replace("<svg", f'<svg role="img" aria-label="{match["alt"]}"', 1)
        return f'<figure class="tw-diagram">{svg}</figure>'

    return _SVG_IMAGE.sub(inline, content)


def description(question: Question) -> str:
    """The beginning of Say it as plain text, for search engines: whole sentences, about 160 characters."""
    section = question.section("Say it")
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|^[-\d.]+ +", r"\1", section.text if section else "", flags=re.M)
    chosen = ""
    for sentence in re.split(r"(?<=[.?!:;]) ", " ".join(text.split())):
        if chosen and len(chosen) + len(sentence) > 160:
            break
        chosen = f"{chosen} {sentence}".strip()
    return html.escape(chosen)


_CODE_BLOCK = re.compile(r'<div class="(?:language-\w+ )?highlight">.*?</pre></div>', re.S)
_MATHML = re.compile(r"<math\b.*?</math>|<svg\b.*?</svg>", re.S)


def searchable(content: str) -> str:
    """What the search index takes of a page: prose and outputs.

    Highlighted code is hundreds of tags a page. The index would be three times as large, and parsing them is
    half the time of a build.
    """
    return _MATHML.sub("", _CODE_BLOCK.sub("", content))


def count_claims(folder: Path) -> int:
    """Tests below ``tests/snippets``: each is one claim, whatever the number of its parameters."""
    return sum(
        len(re.findall(r"^\s*def test_\w+", path.read_text(encoding="utf-8"), flags=re.M))
        for path in sorted(folder.rglob("test_*.py"))
    )
