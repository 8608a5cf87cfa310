"""What the check.py of all broken trainers share: run an edited script safely.

A check has symptoms, in words of what one sees. For each there is an experiment: it
gets the script and returns whether the symptom is still there. Experiments do not
depend on each other, so each bug shows whatever the others do. A bound is written
as ``not x <= bound``, so that NaN does not pass.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import secrets
import sys
import tempfile
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from watching import limited

SECONDS = 120.0  # of processor time, after which a script never ends
SEEDS = (0, 1, 2)
PRINTED = 1000  # characters of what a script prints that are shown


class Unusable(Exception):
    """Why a script cannot be checked, in a sentence."""


class Printed(io.StringIO):
    """Keeps the beginning of what is printed."""

    def write(self, text: str) -> int:
        if self.tell() < PRINTED:
            super().write(text[: PRINTED - self.tell()])
        return len(text)


class Script:
    """A script that has been loaded, without its part for ``__main__``.

    names: what it defines. printed: the beginning of what it printed so far.
    """

    def __init__(
        self, source: str, filename: str, keeps: Mapping[str, str]
    ) -> None:
        self.printed = Printed()
        self.names = types.ModuleType("script")
        self.names.__file__ = filename
        self._runs: dict[tuple, object] = {}
        try:
            code = compile(source, filename, "exec")
        except (SyntaxError, ValueError, RecursionError) as error:
            line = (
                f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            )
            raise Unusable(
                f"It is not Python{line}: {getattr(error, 'msg', None) or error}."
            ) from None
        linecache.cache[filename] = (
            len(source),
            None,
            source.splitlines(keepends=True),
            filename,
        )
        sys.modules["script"] = self.names  # where a dataclass looks its module up
        try:
            with self.quiet():
                exec(code, vars(self.names))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise Unusable(f"It does not load: {raised(error)}.") from error
        for name, kind in keeps.items():
            found = getattr(self.names, name, None)
            if found is None or (
                kind in ("function", "class") and not callable(found)
            ):
                raise Unusable(
                    f"It defines no {kind} {name}, which is needed here."
                )

    def run(
        self, *arguments: object, function: str = "train", **named: object
    ) -> object:
        """What a function of the script returns, called once for each arguments."""
        key = (function, arguments, tuple(sorted(named.items())))
        if key not in self._runs:
            with self.quiet():
                self._runs[key] = getattr(self.names, function)(*arguments, **named)
        return self._runs[key]

    @contextlib.contextmanager
    def quiet(self):
        """While this is entered, what is printed is kept in ``printed``."""
        with (
            contextlib.redirect_stdout(self.printed),
            contextlib.redirect_stderr(self.printed),
        ):
            yield


@dataclass
class Check:
    """Checks edited copies of one broken script.

    file: the check's own, ``__file__``. keeps: what a script has to define, each a
    "function", "class" or "constant".
    """

    file: str
    keeps: Mapping[str, str]
    experiments: list[tuple[str, Callable[[Script], bool]]] = field(
        default_factory=list
    )

    def symptom(
        self, words: str
    ) -> Callable[[Callable[[Script], bool]], Callable[[Script], bool]]:
        """Decorate an experiment: it returns whether the symptom is still there."""

        def add(experiment: Callable[[Script], bool]) -> Callable[[Script], bool]:
            self.experiments.append((words, experiment))
            return experiment

        return add

    def load(self, path: str | Path) -> Script:
        """The script at a path.

        Raises:
            Unusable: it cannot be read or loaded, or lacks a name.
        """
        try:
            # Some editors begin a file with a mark.
            source = Path(path).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise Unusable(f"It cannot be read: {error}.") from None
        return Script(source, str(Path(path).resolve()), self.keeps)

    def symptoms(self, path: str | Path) -> dict[str, bool]:
        """For each symptom whether it is still there; a time limit is its caller's.

        An experiment that ends in an error counts as a symptom that is still there.

        Raises:
            Unusable: see ``load``.
        """
        script = self.load(path)
        return {
            words: self.outcome(experiment, script)[0]
            for words, experiment in self.experiments
        }

    def outcome(
        self, experiment: Callable[[Script], bool], script: Script
    ) -> tuple[bool, str]:
        """Whether a symptom is still there, and the error that ended the trial."""
        try:
            with script.quiet():
                return bool(experiment(script)), ""
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return True, raised(error)


def raised(error: BaseException) -> str:
    """An error in one line, as Python prints it."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def main(check: Check) -> None:
    """``python check.py my_fixed.py``: 0 if all symptoms are gone, 1 if not.

    Without a script it is 2.
    """
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[0] == "--inside":
        _inside(check, Path(arguments[1]), Path(arguments[2]))
        return
    if len(arguments) != 1 or not Path(arguments[0]).is_file():
        print("Usage: python check.py my_fixed.py", file=sys.stderr)
        sys.exit(2)
    gone, text = verdict(check, Path(arguments[0]))
    print(text)
    sys.exit(not gone)


def verdict(check: Check, path: Path, seconds: float = SECONDS) -> tuple[bool, str]:
    """Whether all symptoms of a script are gone, and what its author is told.

    It is tried in a process of its own, which may hang, exit or crash. seconds: of
    processor time.
    """
    with tempfile.TemporaryDirectory(
        prefix="check-", ignore_cleanup_errors=True
    ) as folder:
        report = Path(folder, f"{secrets.token_hex(16)}.jsonl")
        report.touch()
        command = [sys.executable, check.file, "--inside"]
        how, late = limited([*command, str(path.resolve()), str(report)], seconds)
        lines = [
            json.loads(line)
            for line in report.read_text("utf-8").splitlines()
            if line.endswith("}")
        ]
    found: dict = {}
    for one in lines:
        found |= one
    return told(check, found, how, late)


def told(
    check: Check, found: dict, how: str = "", late: bool = False
) -> tuple[bool, str]:
    """Whether all symptoms are gone by what was found, and what an author is told.

    how: how the trial ended, as a clause. late: whether the clock ended it.
    """
    there = found.get("there", [])
    lines = []
    for number, (words, _) in enumerate(check.experiments):
        state = (
            "not tried  "
            if number >= len(there)
            else "still there"
            if there[number][0]
            else "gone       "
        )
        error = (
            f" ({there[number][1]})"
            if number < len(there) and there[number][1]
            else ""
        )
        lines.append(f"{state}  {words}{error}")
    if found.get("unusable"):
        lines = [found["unusable"]]
    elif not found.get("done"):
        lines.append(f"{how[0].upper()}{how[1:]}.")
        if late:
            lines.append("This is no verdict: try again.")
    gone = (
        bool(found.get("done"))
        and bool(there)  # who has tried nothing knows nothing
        and len(there) == len(check.experiments)
        and not any(one for one, _ in there)
    )
    if not gone and found.get("printed"):
        lines += ["", "It printed:", found["printed"].rstrip()]
    return gone, "\n".join(lines)


def tried(
    check: Check,
    path: Path,
    tell: Callable[[dict], None] = lambda what: None,
) -> tuple[bool, str]:
    """The verdict on a script that is tried in this process, which it may end.

    tell: gets what was found so far, after each experiment.
    """
    found: dict = {"there": []}
    try:
        script = check.load(path)
        for _, experiment in check.experiments:
            found["there"].append(check.outcome(experiment, script))
            found["printed"] = script.printed.getvalue()
            tell(found)
        found["done"] = True
    except Unusable as error:
        found["unusable"] = str(error)
    tell(found)
    return told(check, found)


def _inside(check: Check, path: Path, report: Path) -> None:
    torch.set_num_threads(1)

    def tell(what: dict) -> None:
        with report.open("a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")

    tried(check, path, tell)
    os._exit(0)  # whatever the script has left to run at the end
