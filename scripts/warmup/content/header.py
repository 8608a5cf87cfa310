"""The PEP 723 header of a snippet: what it depends on, what it needs, how its output is compared."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike

from warmup.vocabulary import NEEDS

DEFAULT_TIMEOUT = 20.0
SLOW_TIMEOUT = 60.0
OUTPUTS = ("exact", "measured", "recorded")

# The reference expression of PEP 723.
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_OPENING = re.compile(r"(?m)^# /// script$")
_TOML_LINE = re.compile(r" \(at line (\d+), column \d+\)| \(at end of document\)")


class HeaderError(ValueError):
    """A header that cannot be used; says where (1-based line), what is wrong and what to do."""

    def __init__(self, path: str | PathLike[str], line: int, message: str, fix: str) -> None:
        super().__init__(path, line, message, fix)
        self.path, self.line, self.message, self.fix = path, line, message, fix

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}. {self.fix}"


@dataclass(frozen=True)
class Header:
    """What a snippet declares. `timeout`: seconds. `start`, `end`: its lines from 1, 0 without one.

    needs: some of `vocabulary.NEEDS`. output: exact (a fresh run prints the same to the last byte), measured (its
    numbers may differ by the share `tolerance`, the text around them not) or recorded (numbers of one machine, such as
    timings: any digits will do).
    """

    dependencies: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    output: str = "exact"
    slow: str = ""
    timeout: float = DEFAULT_TIMEOUT
    start: int = 0
    end: int = 0
    tolerance: float = 0.0

    @property
    def draws(self) -> bool:
        """Whether the snippet draws a plot, which is recorded as well."""
        return any(dependency.startswith("matplotlib") for dependency in self.dependencies)


def parse(text: str, path: str | PathLike[str]) -> Header:
    """Read the `# /// script` block of a snippet; a snippet without one gets the defaults.

    `path` is only named in errors. Raises HeaderError.
    """
    text = text.replace("\r\n", "\n")
    blocks = [match for match in _BLOCK.finditer(text) if match["type"] == "script"]
    openings = [_line_of(text, match.start()) for match in _OPENING.finditer(text)]
    if len(openings) > 1:
        raise HeaderError(path, openings[1], "a second script block", "Keep one `# /// script` block")
    if not openings:
        return Header()
    start = openings[0]
    if not blocks:
        raise HeaderError(
            path,
            start,
            "the script block does not end",
            "Begin each of its lines with `# ` and end it with a line `# ///`",
        )
    block = blocks[0]
    lines = [line[2:] if line.startswith("# ") else line[1:] for line in block["content"].splitlines()]
    return _Reader(path, start, _line_of(text, block.end()), lines).read()


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


class _Reader:
    """Checks one block; knows the line of each key."""

    def __init__(self, path: str | PathLike[str], start: int, end: int, lines: list[str]) -> None:
        self.path, self.start, self.end, self.lines = path, start, end, lines

    def read(self) -> Header:
        data = self._toml()
        self._known(data, ("requires-python", "dependencies", "tool"), "the script block")
        tool = data.get("tool", {})
        table = tool.get("warmup", {}) if isinstance(tool, dict) else None
        if not isinstance(table, dict):
            raise self._error("tool", "`tool.warmup` is not a table", "Write `# [tool.warmup]` and its keys below it")
        self._known(table, ("needs", "output", "slow", "timeout", "tolerance"), "[tool.warmup]")

        requires = data.get("requires-python")
        if requires is not None and not isinstance(requires, str):
            raise self._error("requires-python", "`requires-python` is not a string", 'Write it as ">=3.11"')
        dependencies = data.get("dependencies", [])
        if not isinstance(dependencies, list) or not all(isinstance(item, str) for item in dependencies):
            raise self._error("dependencies", "`dependencies` is not a list of strings", 'Write it as ["torch"]')

        needs = self._needs(table)
        output = table.get("output", "recorded" if "cuda" in needs else "exact")
        if output not in OUTPUTS:
            raise self._error("output", f"`output` is {output!r}", f"Use one of {_list(OUTPUTS)}")
        if output != "recorded" and "cuda" in needs:
            raise self._error("output", f"`output` is {output}, but the snippet needs cuda", "Leave `output` out")
        tolerance = self._tolerance(table, output)
        slow = table.get("slow", "")
        if not isinstance(slow, str) or ("slow" in table and not slow.strip()):
            raise self._error("slow", "`slow` gives no reason", 'Say why in one phrase, as in slow = "compiles twice"')
        timeout = table.get("timeout", SLOW_TIMEOUT if slow or "compiler" in needs else DEFAULT_TIMEOUT)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < float("inf"):
            raise self._error("timeout", "`timeout` is not a positive number", "Give it in seconds, as in timeout = 90")
        return Header(tuple(dependencies), needs, output, slow, float(timeout), self.start, self.end, tolerance)

    def _toml(self) -> dict:
        try:
            return tomllib.loads("\n".join(self.lines))
        except tomllib.TOMLDecodeError as error:
            place = _TOML_LINE.search(str(error))
            line = self.start + (int(place[1]) if place and place[1] else len(self.lines))
            what = _TOML_LINE.sub("", str(error))
            fix = "Correct the TOML between `# /// script` and `# ///`"
            raise HeaderError(self.path, line, f"the header is not TOML: {what}", fix) from None

    def _needs(self, table: dict) -> frozenset[str]:
        needs = table.get("needs", [])
        needs = [needs] if isinstance(needs, str) else needs
        if not isinstance(needs, list) or not all(isinstance(need, str) for need in needs):
            raise self._error("needs", "`needs` is not a string or a list of strings", f"Use {_list(NEEDS)}")
        for need in needs:
            if need not in NEEDS:
                raise self._error("needs", f"unknown need {need!r}", f"Use {_list(NEEDS)}")
        return frozenset(needs)

    def _tolerance(self, table: dict, output: str) -> float:
        if output != "measured":
            if "tolerance" in table:
                raise self._error("tolerance", f"`tolerance` has no meaning where `output` is {output}", "Leave it out")
            return 0.0
        tolerance = table.get("tolerance")
        if not isinstance(tolerance, float) or not 0 < tolerance <= 0.5:
            raise self._error(
                "tolerance" if "tolerance" in table else "output",
                "a measured output needs a `tolerance`",
                "Give the share by which numbers may differ, as in tolerance = 0.02; beyond 0.5, print the conclusion",
            )
        return tolerance

    def _known(self, table: dict, allowed: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in allowed:
                raise self._error(key, f"unknown key `{key}` in {where}", f"Allowed are {_list(allowed)}")

    def _error(self, key: str, message: str, fix: str) -> HeaderError:
        written = re.compile(rf"\s*(\[+\s*)?([\w.\"'-]+\.)?[\"']?{re.escape(key)}[\"']?\s*[\]=.]")
        numbers = (number for number, line in enumerate(self.lines, 1) if written.match(line))
        return HeaderError(self.path, self.start + next(numbers, 0), message, fix)


def _list(words: Iterable[str]) -> str:
    words = tuple(words)
    return ", ".join(words[:-1]) + " or " + words[-1]
