"""The PEP 723 header of a snippet: what it depends on, what it needs, how its output is compared."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from warmup import memory
from warmup.content import schema
from warmup.content.schema import Field, Schema
from warmup.vocabulary import NEEDS

DEFAULT_TIMEOUT = 20.0
SLOW_TIMEOUT = 60.0
OUTPUTS = ("exact", "measured", "recorded")
SCRIPT = {"requires-python": Field(), "dependencies": Field(list), "tool": Field(dict)}
WARMUP = {
    "needs": Field(list),
    "output": Field(one_of=OUTPUTS),
    "slow": Field(),
    "timeout": Field(float),
    "tolerance": Field(float),
}

# The reference expression of PEP 723.
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_AFTER_NAME = re.compile(r"[^\w.-]")  # where a package's version, extras or markers begin
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
    def packages(self) -> tuple[str, ...]:
        """What has to be installed beside torch, without versions, sorted."""
        names = {_AFTER_NAME.split(dependency)[0].lower().replace("_", "-") for dependency in self.dependencies}
        return tuple(sorted(names - {"torch"}))

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
        self._fits(SCRIPT, data, "The script block")
        table = data.get("tool", {}).get("warmup", {})
        if not isinstance(table, dict):
            raise self._error("tool", "warmup is not a mapping", "Write `# [tool.warmup]` and its keys below it")
        if isinstance(table.get("needs"), str):
            table["needs"] = [table["needs"]]
        self._fits(WARMUP, table, "[tool.warmup]")

        needs = frozenset(table.get("needs", []))
        for need in table.get("needs", []):
            if need not in NEEDS:
                raise self._error("needs", f"Unknown need {need!r}", f"One of: {', '.join(NEEDS)}")
        output = table.get("output", "recorded" if "cuda" in needs else "exact")
        if output != "recorded" and "cuda" in needs:
            raise self._error("output", f"output is {output}, but the snippet needs cuda", "Leave output out")
        tolerance = self._tolerance(table, output)
        slow = table.get("slow", "")
        if "slow" in table and not slow.strip():
            raise self._error("slow", "slow gives no reason", 'Say why in one phrase, as in slow = "compiles twice"')
        timeout = table.get("timeout", SLOW_TIMEOUT if slow or "compiler" in needs else DEFAULT_TIMEOUT)
        dependencies = tuple(data.get("dependencies", []))
        return Header(dependencies, needs, output, slow, float(timeout), self.start, self.end, tolerance)

    def _fits(self, fields: Schema, values: dict, called: str) -> None:
        for place, message, fix in schema.wrong(fields, values, called):
            raise self._error(str(place[-1]), message.removesuffix("."), fix.removesuffix("."))

    def _toml(self) -> dict:
        try:
            return tomllib.loads("\n".join(self.lines))
        except tomllib.TOMLDecodeError as error:
            place = _TOML_LINE.search(str(error))
            line = self.start + (int(place[1]) if place and place[1] else len(self.lines))
            what = _TOML_LINE.sub("", str(error))
            fix = "Correct the TOML between `# /// script` and `# ///`"
            raise HeaderError(self.path, line, f"the header is not TOML: {what}", fix) from None

    def _tolerance(self, table: dict, output: str) -> float:
        if output != "measured":
            if "tolerance" in table:
                raise self._error("tolerance", f"tolerance has no meaning where output is {output}", "Leave it out")
            return 0.0
        tolerance = table.get("tolerance")
        if not isinstance(tolerance, float) or not 0 < tolerance <= 0.5:
            raise self._error(
                "tolerance" if "tolerance" in table else "output",
                "A measured output needs a tolerance",
                "Give the share by which numbers may differ, as in tolerance = 0.02; beyond 0.5, print the conclusion",
            )
        return tolerance

    def _error(self, key: str, message: str, fix: str) -> HeaderError:
        written = re.compile(rf"\s*(\[+\s*)?([\w.\"'-]+\.)?[\"']?{re.escape(key)}[\"']?\s*[\]=.]")
        numbers = (number for number, line in enumerate(self.lines, 1) if written.match(line))
        return HeaderError(self.path, self.start + next(numbers, 0), message, fix)


# A build asks for each a hundred times.
_read: dict[tuple[Path, bytes], Header] = {}


def of(path: Path) -> Header:
    """A snippet's header; the defaults where it cannot be read, which the checks report."""

    def read() -> Header:
        try:
            return parse(path.read_text(encoding="utf-8"), path)
        except (OSError, UnicodeDecodeError, HeaderError):
            return Header()

    state = memory.of_file(path)
    if (path, state) not in _read:
        _read[path, state] = memory.remembered("header", (memory.tools(), state), read)
    return _read[path, state]
