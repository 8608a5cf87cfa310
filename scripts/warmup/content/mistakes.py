"""What people write instead of what is right: ``mistakes.yml`` beside a solution.

It is a list. Each mistake has a ``name``, which no other one has; ``because``, the sentence that readers are told; and
``changes``, each with ``right``, whole lines of the solution, and ``wrong``, what stands there instead.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from warmup.project import Problem, ProblemError, not_utf8, relative

FILE = "mistakes.yml"
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEYS = ("name", "because", "changes")


class CannotApply(ValueError):
    """A change whose text does not stand in the program, or stands there more than once."""


@dataclass(frozen=True)
class Change:
    """Whole lines of a program, and what stands there instead.

    YAML takes the indentation that all lines of a block share: both have that of the place.
    """

    old: str
    new: str

    def apply(self, code: str) -> str:
        """The program with this change.

        Raises:
            CannotApply: the old lines stand there not exactly once.
        """
        at, indent = self._place(code)
        rows, old, new = code.split("\n"), self.old.rstrip("\n").split("\n"), self.new.rstrip("\n").split("\n")
        return "\n".join([*rows[:at], *_indented(new, indent), *rows[at + len(old) :]])

    def line(self, code: str) -> int:
        """The number of the first line of the program that it touches, from 1.

        Raises:
            CannotApply: as for ``apply``.
        """
        old, new = self.old.split("\n"), self.new.split("\n")
        same = next((i for i, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
        return self._place(code)[0] + 1 + same

    def _place(self, code: str) -> tuple[int, str]:
        """Where the lines begin, from 0, and how far all are indented."""
        rows, old = code.split("\n"), self.old.rstrip("\n").split("\n")
        found = []
        for at in range(len(rows) - len(old) + 1 if old[0] else 0):
            indent = rows[at].removesuffix(old[0])
            if (
                indent + old[0] == rows[at]
                and not indent.strip()
                and rows[at : at + len(old)] == _indented(old, indent)
            ):
                found.append((at, indent))
        if len(found) != 1:
            count = f"stands there {len(found)} times" if found else "does not stand there"
            raise CannotApply(f"{old[0]!r} {count}")
        return found[0]


def _indented(rows: list[str], indent: str) -> list[str]:
    return [indent + row if row else row for row in rows]


@dataclass(frozen=True)
class Mistake:
    """What somebody writes instead of a solution, and why it is wrong.

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
        """The solution with this mistake.

        Raises:
            CannotApply: a change does not apply.
        """
        for change in self.changes:
            right = change.apply(right)
        return right

    def program(self, right: str) -> str:
        """The solution with this mistake, below why it is one; raises as ``made`` does."""
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
    """The wrong solutions of an exercise by name: its ``solution.py`` with one mistake each.

    Raises:
        ProblemError: ``mistakes.yml`` is no list of mistakes, or one of them does not fit the solution.
    """
    found = read(folder / FILE)
    right = (folder / "solution.py").read_text(encoding="utf-8") if found else ""
    made = {}
    for mistake in found:
        try:
            made[mistake.name] = mistake.program(right)
        except CannotApply as error:
            fix = "Copy whole lines from solution.py, enough of them to stand there once."
            where = relative(folder / FILE)
            raise ProblemError(Problem(where, mistake.line, f"A change does not apply: {error}.", fix)) from None
    return made


@functools.lru_cache(maxsize=128)
def _parsed(text: str, name: str) -> tuple[Mistake, ...]:
    try:
        listed = yaml.load(text, _Loader)
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
    def fail(message: str, fix: str) -> ProblemError:
        return ProblemError(Problem(name, line, message, fix))

    if not isinstance(one, dict) or tuple(one) != _KEYS:
        raise fail("This mistake has other keys.", f"Give it {', '.join(_KEYS)}, in this order.")
    for key in ("name", "because"):
        if not isinstance(one[key], str) or not one[key].strip():
            raise fail(f"{key} is no text.", "Put it into quotes if YAML takes it for something else.")
    changes = one["changes"] if isinstance(one["changes"], list) else []
    for change in changes:
        if not isinstance(change, dict) or tuple(change) != ("right", "wrong"):
            raise fail("A change has other keys.", "Give it right, lines of the solution, and wrong.")
        if not all(isinstance(text, str) and text.strip() for text in change.values()):
            raise fail("A change is no text.", "Where lines are only added or taken out, give the line above them too.")
    if not changes:
        raise fail("It changes nothing.", "List under changes what is right, and what is wrong.")
    return Mistake(one["name"], one["because"], tuple(Change(*change.values()) for change in changes), line)
