"""A notebook of each question, beside its Markdown copy and made from it: prose, programs, what they printed and drew.

It is JSON in the form of nbformat 4.5, written by hand: the build needs no package for it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from warmup import vocabulary
from warmup.content import header, markdown, outputs
from warmup.content.questions import Question
from warmup.exports import copies
from warmup.exports.build import Build
from warmup.exports.plain_markdown import copy_of
from warmup.site.links import SNIPPET_URL

# What Colab has, and on which day its makers said so. Look at it again when the torch pin is raised.
COLAB_TORCH = "2.11.0"
COLAB_DAY = "19 August 2026"
COLAB_SOURCE = "https://github.com/googlecolab/backend-info"
# Where the Pages workflow pushes all notebooks. Colab takes what follows a slash for a part of the path.
BRANCH = "notebooks"

_GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?")
_OUTPUT = re.compile(r" *Output \((?P<recorded>.+)\):")
# The question of a fold, which on the page hides the output until somebody has predicted it.
_ASKED = re.compile(r"\*\*.+\*\*|### .+")
# In a kernel these find another file, other arguments, a loop that runs already, or a process that may not end.
_OF_A_FILE = re.compile(r"\b(?:__file__|sys\.argv|argparse|asyncio\.run|sys\.exit)\b")
# These would hold for the programs below too.
_FOR_ALL = re.compile(r"\b(?:set_default_\w+|set_printoptions|use_deterministic_algorithms|register_package)\(")

Cell = dict[str, Any]


def notebook_of(source: str) -> str:
    """Address of a question's notebook, from the question's file below ``docs/``."""
    return f"{copy_of(source).removesuffix('.md')}.ipynb"


def colab(repository: str, notebook: str) -> str:
    """Where Colab opens a notebook; empty for a repository that is not on github.com, which Colab cannot read.

    Args:
        repository: its address, or nothing where it is not known.
        notebook: the notebook's address below the site's root.
    """
    match = _GITHUB.fullmatch(repository)
    return f"https://colab.research.google.com/github/{match['name']}/blob/{BRANCH}/{notebook}" if match else ""


def write(build: Build) -> None:
    """Write the notebooks of all questions whose page could be built."""
    for question in build.questions:
        build.remembered("notebook", question, lambda question: _write(build, question))


def _write(build: Build, question: Question) -> None:
    if copy := copies.of(build, question):
        text = json.dumps(_notebook(build, question, copy), ensure_ascii=False, indent=1, sort_keys=True)
        build.write(notebook_of(f"{question.id}.md"), text + "\n")


def _notebook(build: Build, question: Question, copy: str) -> dict[str, Any]:
    head, start, body = copy.partition("\n\n## ")
    reader = _Reader(build, question)
    reader.read(markdown.lines(start.lstrip("\n") + body))
    title, labels, link = head.split("\n\n")
    parts = [title, labels, *([link] if build.site_url else []), *_about(build, reader.programs)]
    cells = [_prose("\n\n".join(parts)), *reader.cells]
    for number, cell in enumerate(cells):
        key = "\0".join((question.id, str(number), *cell["source"]))
        cell["id"] = hashlib.sha256(key.encode()).hexdigest()[:12]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _about(build: Build, programs: Iterable[_Program]) -> list[str]:
    """What a reader must know before the first cell runs, in paragraphs."""
    heads = [program.header for program in programs]
    text = (
        f"The outputs were recorded with torch {build.renderer.figures.torch}, each program in a process of its own. "
        f"Here the programs share one: restart the kernel before you compare. Colab had torch {COLAB_TORCH} on "
        f"{COLAB_DAY} ([its own list]({COLAB_SOURCE}))."
    )
    parts = [text, f"Its code is from {build.name}, under the {vocabulary.CODE_LICENSE} license."]
    packages = {name for head in heads for name in head.dependencies if not re.match(r"torch\b(?!-)", name)}
    if packages:
        names = " ".join(f'"{name}"' if re.search("[<>]", name) else name for name in sorted(packages))
        parts.append(f"The programs need more than torch. Where it is missing, run `%pip install {names}`.")
    if any("cuda" in head.needs for head in heads):
        parts.append("A program needs a CUDA GPU: choose a runtime that has one.")
    if any(program.is_file for program in programs):
        parts.append(
            "A program that starts processes, or would change the programs below it, is written into a file and called."
        )
    return parts


class _Program:
    """A program in a notebook: its name below ``snippets/``, and the cell that holds what it printed."""

    def __init__(self, build: Build, name: str, code: str) -> None:
        self.name = name
        self.path = build.renderer.snippets / name
        try:
            self.header = header.parse(self.path.read_text(encoding="utf-8"), self.path)
        except header.HeaderError:
            self.header = header.Header()  # reported by the checks
        # A process that is spawned imports the program that spawned it, which a cell is not. What draws must be one.
        self.is_file = (
            "multiprocess" in self.header.needs
            or bool(_OF_A_FILE.search(code))
            or bool(_FOR_ALL.search(code) and not self.header.draws)
        )
        if self.is_file:
            self.cell = _code(f"import sys\n\n!{{sys.executable}} {self.path.name}")
            self.cells = [_code(f"%%writefile {self.path.name}\n{code}"), self.cell]
        else:
            self.cell = _code(code)
            self.cells = [self.cell]


class _Reader:
    """Makes cells of a Markdown copy.

    Attributes:
        cells: without ids.
        programs: those among the cells, in order.
    """

    def __init__(self, build: Build, question: Question) -> None:
        self.build = build
        self.cells: list[Cell] = []
        self.programs: list[_Program] = []
        # What the page shows before the programs that gave it, or apart from them.
        self._plots: dict[str, str] = {}  # the words for a plot, by its name below snippets/
        self._outputs: set[str] = set()
        self._lines: list[str] = []  # of Markdown that is in no cell yet
        self._indent = ""  # of the program before them
        copy = copy_of(f"{question.id}.md")
        snippets = re.escape(build.link(copy.rpartition("/")[0])(SNIPPET_URL))
        self._program = re.compile(rf" *\[[^\]]+\]\({snippets}(?P<name>[^)\s]+\.py)\):")
        self._plot = re.compile(rf" *\[Plot: (?P<alt>.*)\]\({snippets}(?P<name>[^)\s]+\.svg)\)")
        # A notebook leads people to pages; only where the site's address is not known, to the copies beside it.
        site = re.escape(build.site_url)
        self._to_copy = re.compile(rf"(\]\({site}[^)\s#]*)\.md(?=[)#])") if site else re.compile("()(?!)")

    def read(self, rows: Sequence[markdown.Line]) -> None:
        """Take in the copy from its first section on."""
        for fence, group in itertools.groupby(rows, key=lambda line: line.fence):
            texts = [line.text for line in group]
            if not fence:
                for text in texts:
                    self._prose_line(text)
            elif not (self._takes_program(fence, texts) or self._takes_output(fence, texts)):
                self._lines += texts
        self._flush()
        for program in self.programs:
            text = self._recorded(program)
            if not program.cell["outputs"] and text.rstrip() in self._outputs:
                _print(program, text)
            if alt := self._plots.get(outputs.drawing_file(program.name).as_posix()):
                _draw(program, alt)

    def _prose_line(self, text: str) -> None:
        if text.startswith("## "):
            self._flush()
        self._lines.append(self._to_copy.sub(r"\1/", text))
        if match := self._plot.fullmatch(text):
            self._plots[match["name"]] = match["alt"]

    def _takes_program(self, fence: markdown.Fence, texts: list[str]) -> bool:
        match = self._program.fullmatch(self._last())
        if fence.info != "python" or not match:
            return False
        self._flush()
        self._indent = texts[0].partition(fence.mark)[0]
        self.programs.append(_Program(self.build, match["name"], _inside(texts)))
        self.cells += self.programs[-1].cells
        return True

    def _takes_output(self, fence: markdown.Fence, texts: list[str]) -> bool:
        """Move an output from a fence to the program that printed it, and what the page says of it below that."""
        match = _OUTPUT.fullmatch(self._last())
        if fence.info != "text" or not match:
            return False
        text = _inside(texts).rstrip()
        for program in reversed(self.programs):
            if program.cell["outputs"] or self._recorded(program).rstrip() != text:
                continue
            _print(program, self._recorded(program))
            while self._lines.pop().strip() == "":
                pass
            if any(_ASKED.fullmatch(line) for line in self._lines):
                program.cell["metadata"] = {"collapsed": True, "jupyter": {"outputs_hidden": True}}
            if match["recorded"] != f"torch {self.build.renderer.figures.torch}, CPU":
                self._lines += ["", f"What `{program.path.name}` printed: {match['recorded']}.", ""]
            return True
        self._outputs.add(text)
        return False

    def _recorded(self, program: _Program) -> str:
        """What a program has printed; nothing where no run has recorded it."""
        found = self.build.renderer.output(outputs.output_file(program.path))
        return found.text if found else ""

    def _last(self) -> str:
        """The last line that is in no cell yet and not empty."""
        return next((line for line in reversed(self._lines) if line.strip()), "")

    def _flush(self) -> None:
        """Make a cell of the lines; those that were in a list with the program before them are in none now."""
        lines, indent = self._lines, self._indent
        if indent:
            inside = list(itertools.takewhile(lambda line: not line.strip() or line.startswith(indent), lines))
            lines = [line.removeprefix(indent) for line in inside] + lines[len(inside) :]
        if text := "\n".join(lines).strip("\n"):
            self.cells.append(_prose(re.sub(r"\n{3,}", "\n\n", text)))
        self._lines, self._indent = [], ""


def _inside(texts: Sequence[str]) -> str:
    """What a fence shows, without its indentation."""
    indent = len(texts[0]) - len(texts[0].lstrip(" "))
    return "\n".join(text[indent:] for text in texts[1:-1])


def _print(program: _Program, text: str) -> None:
    """Give a program what it has printed."""
    program.cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": _source(text)})


def _draw(program: _Program, alt: str) -> None:
    """Give a program its recorded plot, behind what it printed."""
    if drawing := outputs.read_drawing(outputs.drawing_file(program.path)):
        data = {"image/svg+xml": _source(drawing.text), "text/plain": [alt]}
        program.cell["outputs"].append({"output_type": "display_data", "data": data, "metadata": {}})


def _source(text: str) -> list[str]:
    """A text as notebooks store it: line by line, which makes differences readable."""
    return text.splitlines(keepends=True)


def _prose(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": _source(text)}


def _code(text: str) -> Cell:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": _source(text)}
