"""Draws diagrams with Graphviz, which only those need who change one: its programs come with the operating system."""

from __future__ import annotations

import subprocess
from pathlib import Path

from warmup.content import diagrams
from warmup.project import Problem, ProblemError, relative, replace_file


def draw(source: Path) -> bool:
    """Draw the diagram of a source beside it; returns whether that changed the file.

    Raises:
        ProblemError: Graphviz is not installed, or the source is not what it reads.
    """
    try:
        run = subprocess.run(["dot", "-Tsvg", source], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        fix = "Install it: `apt install graphviz`, `brew install graphviz`."
        raise ProblemError(Problem(relative(source), 0, "Graphviz, which draws it, is not installed.", fix)) from None
    except subprocess.CalledProcessError as error:
        raise ProblemError(Problem(relative(source), 0, "Graphviz cannot read it.", error.stderr.strip())) from None
    target, text = diagrams.drawing_file(source), diagrams.drawn(run.stdout, source)
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return False
    replace_file(target, text)
    return True
