"""What is wrong with any Markdown, whatever it is on: empty folds, scripts, fences that do not run or fit."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from warmup.content import markdown
from warmup.content.markdown import Line
from warmup.project import Problem, relative

COLUMNS = 84  # of code that a page shows; the theme makes room for as many

# A line, 0 for the whole file, what is wrong there, and what to do about it.
Found = Iterator[tuple[int, str, str]]

_FOLD = re.compile(r"(?P<indent> *)\?\?\?")
_HEAD = re.compile(r' *\?\?\?\+? \w+( here| first)* ".+"$')
_COMMENT = re.compile(r"<!--(?! warmup:).*?-->", re.S)
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n)")
_RAW = re.compile(r"^[ \t]*</?[a-z]", re.I | re.M)  # where HTML begins, a backtick is no code
_SCRIPT = re.compile(
    r"<(?P<tag>script|iframe|object|embed|base|form|meta|link)\b"
    # in a tag, or among the attributes of a block
    r"|(?:<[a-z]|\{)(?:[^<>{}]*[\s\"'/:{])?(?P<handler>on(?!(?:e|ce|ly)\b)[a-z]+|srcdoc)\s*="
    r"|(?:\]\(|\]:|=|<)[\s\"'<]*(?P<scheme>(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:|data:text/html)",
    re.I,
)
_QUOTED = re.compile(r"""=\s*(?:"[^"]*"|'[^']*')""")


def problems(path: Path) -> Iterator[Problem]:
    """Every problem of a Markdown file, of any kind, that is the same wherever it stands."""
    lines = markdown.lines(path.read_text(encoding="utf-8", errors="replace"))
    for line, message, fix in (*folds(lines), *scripts(lines), *fences(lines)):
        yield Problem(relative(path), line, message, fix)


def folds(lines: Sequence[Line]) -> Found:
    """Folds, nested ones too, that hold nothing, or whose line is none of a fold."""
    for at, line in enumerate(lines):
        if line.fence or not (head := _FOLD.match(line.text)):
            continue
        if not _HEAD.match(line.text):
            yield line.number, "This line opens no fold.", 'Write it as ??? question "The title in quotes".'
            continue
        inside = f"{head['indent']}    "
        held = []
        for below in lines[at + 1 :]:
            if below.text.strip() and not below.text.startswith(inside):
                break
            held.append(below.text)
        if not _COMMENT.sub("", "\n".join(held)).strip():
            fix = "Write it below, each line indented by four spaces more than this one."
            yield line.number, "This fold has no answer.", fix


def scripts(lines: Sequence[Line]) -> Found:
    """What would run in its reader's browser, or be fetched from elsewhere: the site's scripts are files of its own."""
    text = "\n".join("" if line.fence else line.text for line in lines)
    text = html.unescape("".join(map(_without_code, _PARAGRAPHS.split(text))))
    # A tag does not end at a `>` in quotes; but what looks like an attribute may be text around a tag.
    shut = _QUOTED.sub(lambda quoted: re.sub("[<>{}]", "_", quoted[0]), text)
    matches = {found.end(): found for each in (shut, text) for found in _SCRIPT.finditer(each)}
    for _, found in sorted(matches.items()):
        kind = str(found.lastgroup)
        what = {"tag": f"<{found[kind]}>", "handler": f"{found[kind]}="}.get(kind, "javascript:")
        number = lines[0].number + text.count("\n", 0, found.start(kind))
        fix = "Take it out, or put it into backticks or a fence if readers are to see it."
        yield number, f"A page runs no script of its own, and this would: {what}", fix


def _without_code(paragraph: str) -> str:
    """A paragraph of Markdown without what it shows as code, its lines kept."""
    return paragraph if _RAW.search(paragraph) else _CODE.sub(lambda code: "\n" * code[0].count("\n"), paragraph)


def fences(lines: Sequence[Line]) -> Found:
    """Fences wider than a page, and Python that pytest-codeblocks skips: it knows ```python, ```sh and ```bash."""
    indent = 0
    for line in lines:
        if line.opens:
            indent = len(line.text) - len(line.text.lstrip())
        elif line.fence and not line.include and (columns := len(line.text) - indent) > COLUMNS:
            yield line.number, *too_wide(columns)
        language, _, options = line.fence.info.partition(" ") if line.fence and line.opens else ("", "", "")
        if language.lower() in {"py", "python3", "pycon", "ipython"}:
            fix = "Write ```python, or ```text for code that is not run."
            yield line.number, f"A fence of {language} would not run.", fix
        if language == "python" and options.strip() and 'title="' not in options:
            fix = 'Give it a title="..." if it is a snippet, or none of them.'
            yield line.number, "A python fence with options would not run.", fix


def too_wide(columns: int) -> tuple[str, str]:
    """What is wrong with a line of code of so many columns, and what to do about it."""
    return f"The line has {columns} columns; at most {COLUMNS}.", "Wrap it: the page would scroll sideways."
