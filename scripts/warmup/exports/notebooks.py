"""A notebook of each question, beside its Markdown copy: prose, programs, what they printed and drew.

It is JSON in the form of nbformat 4.5, written by hand: the build needs no package for it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import posixpath
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from warmup import licenses
from warmup.content import blocks, header, markdown, outputs
from warmup.exports import copies
from warmup.exports.build import Build
from warmup.exports.plain_markdown import Writer, copy_of, literal, with_others
from warmup.kinds.questions import Question

# What Colab has, and on which day its makers said so. Look at it again when the torch pin is raised.
COLAB_TORCH = "2.11.0"
COLAB_DAY = "19 August 2026"
COLAB_SOURCE = "https://github.com/googlecolab/backend-info"
# Where the Pages workflow pushes all notebooks. Colab takes what follows a slash for a part of the path.
BRANCH = "notebooks"

_GITHUB = re.compile(r"https://github\.com/(?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?")
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
    text = json.dumps(_notebook(build, question), ensure_ascii=False, indent=1, sort_keys=True)
    build.write(notebook_of(f"{question.id}.md"), text + "\n")


def _notebook(build: Build, question: Question) -> dict[str, Any]:
    link = build.link(posixpath.dirname(notebook_of(f"{question.id}.md")))
    # A notebook leads people to pages; only where the site's address is not known, to the copies beside it.
    body = _Body(build, Writer(build.renderer, f"{question.id}.md", link, to_pages=bool(build.site_url)))
    for section in question.sections:
        body.begin(copies.heading(section))
        body.take(section.lines, copies.fold_of(section))
    for paragraph in copies.ends(build, question, body.writer):
        body.begin(paragraph.removeprefix("## ")) if paragraph.startswith("## ") else body.say(paragraph)
    body.end()
    parts = [f"# {literal(question.title)}", " · ".join(question.labels)]
    parts += [f"[Read it on {build.name}]({link(question.url)})"] if build.site_url else []
    cells = [_prose("\n\n".join([*parts, *_about(build, body.programs)])), *body.cells]
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
    parts = [text, f"Its code is from {build.name}, under the {licenses.CODE} license."]
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

    def __init__(self, build: Build, name: str) -> None:
        self.name = name
        self.path = build.renderer.snippets / name
        self.printed = build.renderer.output(outputs.output_file(self.path))
        code = build.renderer.code(name, self.path).rstrip("\n")
        self.header = header.of(self.path)
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

    def print(self) -> None:
        """Give the cell what the program has printed, as far as a run has recorded it."""
        if self.printed:
            text = self.printed.text
            self.cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": _source(text)})

    def draw(self, alt: str) -> None:
        """Give the cell the recorded plot, behind what was printed."""
        if drawing := outputs.read_drawing(outputs.drawing_file(self.path)):
            data = {"image/svg+xml": _source(drawing.text), "text/plain": [alt]}
            self.cell["outputs"].append({"output_type": "display_data", "data": data, "metadata": {}})


class _Body:
    """The cells of a page's sections.

    Attributes:
        cells: without ids.
        programs: those among the cells, in order.
    """

    def __init__(self, build: Build, writer: Writer) -> None:
        self.build = build
        self.writer = writer
        self.cells: list[Cell] = []
        self.programs: list[_Program] = []
        # What the page shows before the programs that gave it, or apart from them.
        self._plots: dict[str, str] = {}  # the words for a plot, by its name below snippets/
        self._outputs: set[str] = set()
        self._text = ""  # Markdown that is in no cell yet
        self._asked = False  # whether a fold has begun in it, which hides its output until somebody has predicted it
        self._indent = ""  # of the program before it

    def begin(self, heading: str) -> None:
        """Begin a section."""
        self._flush()
        self._text = f"## {heading}\n\n"

    def say(self, paragraph: str) -> None:
        """Take in a paragraph of Markdown as it is."""
        self._text += f"\n\n{paragraph}\n\n"

    def take(self, rows: Sequence[markdown.Line], fold: str) -> None:
        """Take in a piece of the page; ``fold`` is how the question of an outermost fold is written."""
        for block in blocks.read(rows):
            if isinstance(block, markdown.Fold):
                self._asked = True
                self.say(fold.format(self.writer.prose(block.title)))
                self.take(block.rows, "**{}**")
                self._text += "\n\n"
            elif isinstance(block, blocks.Fenced) and block.is_program:
                self._text += textwrap.indent(self.writer.name(block), block.indent)
                self._flush()
                self._indent = block.indent
                self.programs.append(_Program(self.build, block.include))
                self.cells += self.programs[-1].cells
            elif not (isinstance(block, blocks.Fenced) and self._takes_output(block)):
                self._text += self.writer.block(block)
                if isinstance(block, blocks.Fenced) and block.language == "plot":
                    self._plots[block.include] = block.options["alt"]

    def end(self) -> None:
        """There is no more of the page."""
        self._flush()
        for program in self.programs:
            if not program.cell["outputs"] and outputs.output_file(Path(program.name)).as_posix() in self._outputs:
                program.print()
            if alt := self._plots.get(outputs.drawing_file(program.name).as_posix()):
                program.draw(alt)

    def _takes_output(self, block: blocks.Fenced) -> bool:
        """Move an output from a fence to the program that printed it, and what the page says of it below that."""
        if block.language != "output" or not block.include:
            return False
        for program in reversed(self.programs):
            mine = outputs.output_file(Path(program.name)).as_posix() == block.include
            if not mine or not program.printed or program.cell["outputs"]:
                continue
            program.print()
            if self._asked:
                program.cell["metadata"] = {"collapsed": True, "jupyter": {"outputs_hidden": True}}
            if program.printed.recorded != f"torch {self.build.renderer.figures.torch}, CPU":
                self.say(f"What `{program.path.name}` printed: {program.printed.recorded}.")
            self._text += textwrap.indent(with_others(program.printed), block.indent)
            return True
        self._outputs.add(block.include)
        return False

    def _flush(self) -> None:
        """Make a cell of the text; what was in a list with the program before it is in none now."""
        lines, indent = self._text.split("\n"), self._indent
        if indent:
            inside = list(itertools.takewhile(lambda line: not line.strip() or line.startswith(indent), lines))
            lines = [line.removeprefix(indent) for line in inside] + lines[len(inside) :]
        if text := "\n".join(lines).strip("\n"):
            self.cells.append(_prose(re.sub(r"\n{3,}", "\n\n", text)))
        self._text, self._indent, self._asked = "", "", False


def _source(text: str) -> list[str]:
    """A text as notebooks store it: line by line, which makes differences readable."""
    return text.splitlines(keepends=True)


def _prose(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": _source(text)}


def _code(text: str) -> Cell:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": _source(text)}
