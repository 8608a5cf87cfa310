"""Blocks of code as HTML: programs, what they printed, and how two of them differ."""

from __future__ import annotations

import difflib
import html
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from warmup import memory
from warmup.content import header, outputs
from warmup.site import drawings, marks, statements

# An error's name with its text behind it, wherever it stands in the line, or alone on a line.
ERROR_LINE = re.compile(
    r"(?:^|.*\s)(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Unsupported|Mismatch):\s"
    r"|\s*(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Unsupported)$|Traceback "
)


@dataclass(frozen=True)
class Shown:
    """A recorded output as a page shows it.

    text: what was printed. recorded: with which torch, where, and how far numbers vary. others: for each range of
    torch that prints something else, the lines that differ.
    """

    text: str
    recorded: str
    others: dict[str, str]


def code(path: Path) -> str:
    """The program as a page shows it: the PEP 723 block is in the file that one downloads."""
    return outputs.without_header(path.read_text(encoding="utf-8"))


def shown(path: Path, torch: str) -> Shown | None:
    """What an ``.out`` file holds and what a page says about it; None where no run has recorded it.

    Args:
        path: the file.
        torch: the version that outputs without a provenance of their own were recorded with.
    """
    found = outputs.read(path)
    if found is None:
        return None
    recorded = found.provenance or f"torch {torch}, CPU"
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


def runs_nowhere(name: str) -> str:
    """What a program's block says of it where no page runs programs."""
    return ""


# What an exercise shows besides the file that one begins with is nothing to run.
_NO_PROGRAM = re.compile(r"practice/write/[^/]+/(?!starter\.py$)")


def named(name: str) -> str:
    """What a program's block says of it where a page can run each: which file it is."""
    if _NO_PROGRAM.match(name):
        return ""
    return f' data-program="{html.escape(name)}"'


def recorded(records: Mapping[str, str], judges: Mapping[str, tuple[str, str]], name: str) -> str:
    """What a program's block says of it where a page can run some: which file it is, what it printed, and its judge.

    Args:
        records: the outputs of these, by their names below ``snippets/``, and what judges print for right answers.
        judges: by the file with which a reader begins, the judge and its hash.
        name: the program.
    """
    found = f' data-record="{_attribute(records[name])}"' if name in records else ""
    if name in judges:
        judge, integrity = judges[name]
        found += f' data-judge="{html.escape(judge)}" data-integrity="{integrity}"'
        found += f' data-judged="{_attribute(records[judge])}"'
    return named(name) + found if found else ""


def _attribute(text: str) -> str:
    return html.escape(text).replace("\n", "&#10;")


_RECORD = re.compile(r' data-program="[^"]*"(?: data-(?:record|judge|integrity|judged)="[^"]*")+')


def without_records(content: str) -> str:
    """A page's HTML as it would be if no page ran programs."""
    return _RECORD.sub("", content)


def fences(
    output: Callable[[str], Shown | None], snippets: Path, runs: Callable[[str], str] = runs_nowhere
) -> list[dict]:
    """The ``custom_fences`` of superfences: ```` ```python ````, ``output``, ``plot``, ``diff`` and ``statements``.

    Args:
        output: reads a recorded output, by its name below ``snippets/``.
        snippets: that folder.
        runs: what a program's block says of it so that a page can run it.
    """
    python = partial(python_fence, runs)
    return [
        {
            "name": "output",
            "class": "tw-output",
            "format": partial(output_fence, output),
            "validator": output_fence_options,
        },
        {
            "name": "plot",
            "class": "tw-diagram",
            "format": partial(plot_fence, snippets),
            "validator": plot_fence_options,
        },
        {"name": "diff", "class": "tw-diff", "format": diff_fence},
        {
            "name": "statements",
            "class": "tw-statements",
            "format": statements.fence,
            "validator": output_fence_options,
        },
        {"name": "python", "class": "highlight", "format": python, "validator": python_fence_options},
    ]


# Names and spaces have the color of plain code: their markup is a third of a snippet's HTML and shows nothing.
_PLAIN = re.compile(r'<span class="[nw]">([^<]*)</span>')
_formatter = HtmlFormatter(nowrap=True)


def highlighted(source: str) -> str:
    """Pygments' markup of a program."""

    def made() -> str:
        return _PLAIN.sub(r"\1", pygments.highlight(source, PythonLexer(), _formatter))

    return memory.remembered("highlight", (pygments.__version__, _PLAIN.pattern, source), made)


def python_fence(runs: Callable[[str], str], source: str, language: str, css_class: str, options: dict, md, **_) -> str:
    """Formatter of ```` ```python ````: Pygments' markup under the file's name, as pymdownx.highlight writes it."""
    code = highlighted(source)
    title, download, needs = (html.escape(options.get(name) or "") for name in ("title", "download", "needs"))
    name = posixpath.basename(download)
    anchor = f'<a class="tw-download" href="{download}" download aria-label="Download {name}">Download</a>'
    link = marks.around("download", anchor) if download else ""
    need = f'<small class="tw-needs">Needs: {needs}</small>' if needs else ""
    bar = f'<span class="filename">{title}{link}{need}</span>' if title else ""
    program = runs(download.rpartition("snippets/")[2]) if download else ""
    return f'<div class="highlight"{program}>{bar}<pre><span></span><code>{code}</code></pre></div>'


def python_fence_options(language: str, inputs: dict, options: dict, attrs: dict, md) -> bool:
    """Validator of ```` ```python ````: accepts ``title``, ``needs`` and ``download``, the whole file's address."""
    options.update(inputs)
    return set(inputs) <= {"title", "download", "needs"}


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


def output_fence(
    output: Callable[[str], Shown | None], source: str, language: str, css_class: str, options: dict, md, **_
) -> str:
    """Formatter of ```` ```output ````: what a run printed, with the lines that are errors marked as such."""
    if "file" not in options:
        return output_block(source)
    found = output(options["file"])
    if found is None:
        return (
            f'<div class="tw-output tw-output--missing"><p><strong>{outputs.NOT_RECORDED.capitalize()}.</strong> '
            f"This snippet {outputs.WHY_NOT_RECORDED}. {outputs.UNTIL_RECORDED}</p></div>"
        )
    return output_block(source, found.recorded, found.others)


def output_fence_options(language: str, inputs: dict, options: dict, attrs: dict, md) -> bool:
    """Validator of ```` ```output ````: accepts ``file``, the recorded output that it shows."""
    options.update(inputs)
    return set(inputs) <= {"file"}


def plot_fence(snippets: Path, source: str, language: str, css_class: str, options: dict, md, **_) -> str:
    """Formatter of ```` ```plot ````: what a snippet drew, under the name that ``alt`` gives it."""
    file = snippets / options["file"]
    if not file.is_file():
        # Reported by checks.problems.
        return f'<p class="tw-output--missing"><strong>{outputs.NOT_RECORDED.capitalize()}.</strong></p>'
    return drawings.inline(file, options["alt"], f"plot-{file.stem}--", options.get("caption", ""))


def plot_fence_options(language: str, inputs: dict, options: dict, attrs: dict, md) -> bool:
    """Validator of ```` ```plot ````: takes ``file``, the drawing, ``alt``, its words, and perhaps a ``caption``."""
    options.update(inputs)
    return {"file", "alt"} <= set(inputs) <= {"file", "alt", "caption"}


def diff(old: str, new: str) -> list[str]:
    """The lines in which two programs differ, with a line of each side to find the place."""
    rows: list[str] = []
    for line in list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm=""))[2:]:
        if not line.startswith("@@"):
            rows.append(line)
        elif rows:
            rows.append("…")
    return rows


def diff_block(old: str, new: str) -> str:
    """What ``diff`` finds, as HTML."""
    return _diff(diff(old, new))


def diff_fence(source: str, language: str, css_class: str, options: dict, md, **_) -> str:
    """Formatter of ```` ```diff ````: what ``diff`` has found."""
    return _diff(source.split("\n"))


def _diff(lines: Iterable[str]) -> str:
    rows = []
    for line in lines:
        text = html.escape(line, quote=False)
        rows.append({"-": f"<del>{text}</del>", "+": f"<ins>{text}</ins>"}.get(line[:1], text))
    return f'<pre class="tw-diff">{"&#10;".join(rows)}</pre>'
