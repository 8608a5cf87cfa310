"""The texts of programs: of most the file, but the repaired script of a broken trainer is made of its mistakes.

``fixed.py`` is no file. Whoever lists programs, reads or runs one asks here, so that it is as good as one.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from warmup.content import mistakes
from warmup.content.mistakes import BROKEN

FIXED = "fixed.py"
_MADE_OF = (BROKEN, mistakes.FILE)


def is_made(program: Path) -> bool:
    """Whether a program is made of others. In a copy of its folder, which has no list of mistakes, it is a file."""
    return program.name == FIXED and all(program.with_name(name).is_file() for name in _MADE_OF)


def exists(program: Path) -> bool:
    """Whether there is such a program, a file or a made one."""
    return is_made(program) or program.is_file()


def files(program: Path) -> list[Path]:
    """The files that a program comes from, first the one that has its header."""
    return [program.with_name(name) for name in _MADE_OF] if is_made(program) else [program]


def text(program: Path, errors: str = "strict") -> str:
    """The text of a program.

    Args:
        program: its file, or where that would be.
        errors: as for ``Path.read_text``.

    Raises:
        OSError: there is no such program.
        ValueError: it is no text, or, as a ProblemError, cannot be made.
    """
    file = files(program)[0]
    code = file.read_text(encoding="utf-8", errors=errors)
    return mistakes.mended(file, code) if is_made(program) else code


def below(folder: Path) -> list[Path]:
    """All programs below a folder, in the order of their paths."""
    found = {*folder.rglob("*.py")}
    return sorted(found | {fixed for path in found if is_made(fixed := path.with_name(FIXED))})


def copy(folder: Path, to: Path) -> None:
    """Write the programs of a folder, those that are made among them, into another one; raises as ``text`` does."""
    to.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.py"):
        shutil.copy(path, to)
    if is_made(fixed := folder / FIXED):
        (to / FIXED).write_text(text(fixed), encoding="utf-8")


def place(program: Path, folder: Path) -> Path:
    """Where a program can be run: where it stands, or in a copy of its folder, as it may load one that is made.

    Args:
        program: its file, or where that would be.
        folder: for the copy.

    Raises:
        ValueError: as ``text`` does.
    """
    if not is_made(program.with_name(FIXED)):
        return program
    copy(program.parent, folder)
    return folder / program.name
