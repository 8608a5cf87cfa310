"""What people write instead of what is right: ``mistakes.yml`` in the folder of an exercise or of a broken trainer.

It is a list. Each mistake has a ``name``, which no other one has; ``because``, the sentence that readers are told; and
``changes``, each with ``right``, whole lines of the right program, and ``wrong``, what stands there instead. An
exercise has the right program, and one mistake at a time is made in it; a trainer has one with all of its mistakes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from warmup.content import schema
from warmup.content.schema import Field
from warmup.project import Problem, ProblemError, not_utf8, relative

FILE = "mistakes.yml"
SOLUTION, BROKEN = "solution.py", "broken.py"  # beside it, the program in which no mistake is, or each
# Where lines are only added or taken out, a change has the line above them too.
_CHANGE = {"right": Field(required=True), "wrong": Field(required=True)}
SCHEMA = {
    "name": Field(required=True),
    "because": Field(required=True),
    "changes": Field(list, required=True, each=_CHANGE, called="change"),
}


class CannotApply(ValueError):
    """A change whose text does not stand in the program, or stands there more than once."""


@dataclass(frozen=True)
class Change:
    """Whole lines of a program, and what stands there instead.

    YAML takes the indentation that all lines of a block share: both have that of the place.
    """

    right: str
    wrong: str

    def made(self, code: str) -> str:
        """The program with what is wrong instead of what is right.

        Raises:
            CannotApply: what is replaced stands there not exactly once.
        """
        return _replaced(code, self.right, self.wrong)

    def mended(self, code: str) -> str:
        """The program with what is right instead of what is wrong; raises as ``made`` does."""
        return _replaced(code, self.wrong, self.right)

    def line(self, code: str) -> int:
        """The number of the first line of the wrong program that it mends, from 1; raises as ``made`` does."""
        pairs = zip(self.wrong.split("\n"), self.right.split("\n"), strict=False)
        same = next((number for number, (wrong, right) in enumerate(pairs) if wrong != right), 0)
        return _place(code, self.wrong)[0] + 1 + same


def _replaced(code: str, old: str, new: str) -> str:
    at, indent = _place(code, old)
    rows = code.split("\n")
    rows[at : at + len(_lines(old))] = _indented(_lines(new), indent)
    return "\n".join(rows)


def _place(code: str, text: str) -> tuple[int, str]:
    """Where the lines of a text begin in a program, from 0, and how far all are indented."""
    rows, wanted = code.split("\n"), _lines(text)
    found = []
    for at in range(len(rows) - len(wanted) + 1 if wanted[0] else 0):
        indent = rows[at].removesuffix(wanted[0])
        if (
            indent + wanted[0] == rows[at]
            and not indent.strip()
            and rows[at : at + len(wanted)] == _indented(wanted, indent)
        ):
            found.append((at, indent))
    if len(found) != 1:
        count = f"is there {len(found)} times" if found else "is not there"
        raise CannotApply(f"{wanted[0]!r} {count}")
    return found[0]


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


def _indented(rows: list[str], indent: str) -> list[str]:
    return [indent + row if row else row for row in rows]


@dataclass(frozen=True)
class Mistake:
    """What somebody writes instead of what is right, and why it is wrong.

    Attributes:
        line: where it stands in its file.
    """

    name: str
    because: str
    changes: tuple[Change, ...]
    line: int = 0

    @property
    def why(self) -> str:
        """Why it is wrong, in one line."""
        return " ".join(self.because.split())

    def made(self, right: str) -> str:
        """The right program with this mistake.

        Raises:
            CannotApply: a change does not apply.
        """
        for change in self.changes:
            right = change.made(right)
        return right

    def mended(self, wrong: str) -> str:
        """A program without this mistake; raises as ``made`` does."""
        for change in self.changes:
            wrong = change.mended(wrong)
        return wrong

    def line_in(self, wrong: str) -> int:
        """The first line of a program that is wrong by it, from 1; raises as ``made`` does."""
        return min(change.line(wrong) for change in self.changes)

    def program(self, right: str) -> str:
        """The right program with this mistake, below why it is one; raises as ``made`` does."""
        code = self.made(right)
        # As a formatter leaves it.
        space = "\n\n\n" if code.startswith(("def ", "class ", "@")) else "\n\n"
        return f'"""{self.because}"""{space}{code}'


def read(file: Path) -> tuple[Mistake, ...]:
    """The mistakes in a file, in its order; none if it does not exist.

    Raises:
        ProblemError: it is no list of mistakes.
    """
    try:
        return _parsed(file.read_text(encoding="utf-8"), relative(file))
    except FileNotFoundError:
        return ()
    except UnicodeDecodeError as error:
        raise ProblemError(not_utf8(file, error)) from error


def programs(folder: Path) -> dict[str, str]:
    """What each mistake alone makes of the program beside it, by the name of the mistake.

    Of an exercise these are wrong solutions; of a trainer its script with all other mistakes.

    Raises:
        ProblemError: ``mistakes.yml`` is no list of mistakes, or one of them does not fit the program.
    """
    found = read(folder / FILE)
    file = folder / (BROKEN if (folder / BROKEN).is_file() else SOLUTION)
    code = file.read_text(encoding="utf-8") if found else ""
    return {one.name: _tried(one, one.mended if file.name == BROKEN else one.program, code, file) for one in found}


def mended(broken: Path, code: str) -> str:
    """The script of a trainer, whose text is ``code``, without all of its mistakes; raises as ``programs`` does."""
    for mistake in read(broken.with_name(FILE)):
        code = _tried(mistake, mistake.mended, code, broken)
    return code


def _tried(mistake: Mistake, change: Callable[[str], str], code: str, file: Path) -> str:
    try:
        return change(code)
    except CannotApply as error:
        fix = f"Copy whole lines from {file.name}, enough of them to stand there once."
        where = relative(file.with_name(FILE))
        raise ProblemError(Problem(where, mistake.line, f"A change does not apply: {error}.", fix)) from None


@functools.lru_cache(maxsize=128)
def _parsed(text: str, name: str) -> tuple[Mistake, ...]:
    try:
        listed = yaml.load(text, schema.Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = str(getattr(error, "problem", None) or error)
        raise ProblemError(
            Problem(name, mark.line + 1 if mark else 0, f"It is not YAML: {what}.", "Mend it.")
        ) from None
    starts = [number for number, row in enumerate(text.split("\n"), 1) if re.match(r"- ", row)]
    if not isinstance(listed, list) or len(listed) != len(starts):
        fix = "Begin each mistake with - name: ... at the start of a line."
        raise ProblemError(Problem(name, 1, "It is no list of mistakes.", fix))
    return tuple(_mistake(one, name, line) for one, line in zip(listed, starts, strict=True))


def _mistake(one: object, name: str, line: int) -> Mistake:
    for _, message, fix in schema.wrong(SCHEMA, one if isinstance(one, dict) else {}, "This mistake"):
        raise ProblemError(Problem(name, line, message, fix))
    assert isinstance(one, dict)
    changes = tuple(Change(change["right"], change["wrong"]) for change in one["changes"])
    return Mistake(one["name"], one["because"], changes, line)
