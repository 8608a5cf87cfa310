"""The project's folders, how a file is named and replaced, and what is wrong with one and how to mend it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SNIPPETS = ROOT / "snippets"


def relative(path: Path) -> str:
    """The path as a reader of this project writes it: from the project's root, with forward slashes."""
    path = Path(path)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


def replace_file(path: Path, text: str) -> None:
    """Write a file at once: whatever happens, it is the old one or the new one. Line ends stay as they are in `text`.

    Raises:
        OSError: it cannot be written; the old file is still there.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(text.encode())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


@dataclass(frozen=True, order=True)
class Problem:
    """One mistake: the file, the line (0 where there is none), what is wrong and what to do about it."""

    path: str
    line: int
    message: str
    fix: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else self.path
        return f"{where}: {self.message}" + (f" {self.fix}" if self.fix else "")


def not_utf8(path: Path, error: UnicodeDecodeError) -> Problem:
    """The problem of a text file that cannot be decoded."""
    line = error.object.count(b"\n", 0, error.start) + 1
    return Problem(relative(path), line, "It is not text in UTF-8.", "Save it as UTF-8.")


class ProblemError(ValueError):
    """Raised where a file cannot be used at all; carries the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem
