"""The file in which green tests are remembered, and whether what they depend on is as it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from warmup.green.digests import Files, digest, surroundings
from warmup.green.units import SITE, Unit, Units
from warmup.project import replace_file

# What the site is built from.
SOURCES = ("docs", "snippets", "scripts", "mkdocs.yml")


@dataclass(frozen=True)
class Entry:
    """A unit that was green: the digest of all that it depended on, what it was seen to open, which tests of it."""

    digest: str
    opened: tuple[str, ...]
    tests: frozenset[str]
    whole: bool  # whether these are all tests of the unit


@dataclass
class Memory:
    """What was green, by the name of its unit, and the site that was built then.

    built: a digest of the sources of a site, and the digest of each file that was built from them.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    built: tuple[str, dict[str, str]] = ("", {})

    @classmethod
    def read(cls, path: Path) -> Memory:
        """What a file remembers; nothing if there is none, or one that this cannot read."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            entries = {
                name: Entry(one["digest"], tuple(one["opened"]), frozenset(one["tests"]), one["whole"])
                for name, one in found["units"].items()
            }
            return cls(entries, (found["sources"], found["built"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, path: Path) -> None:
        units = {
            name: {"digest": one.digest, "opened": one.opened, "tests": sorted(one.tests), "whole": one.whole}
            for name, one in sorted(self.entries.items())
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps({"units": units, "sources": self.built[0], "built": self.built[1]}, indent=0))


class State:
    """How all that tests depend on is now.

    site: the files of the built site; None where it is not built, and then no test that looks at it is known.
    """

    def __init__(self, files: Files, site: Mapping[str, str] | None = None) -> None:
        self.files, self.units, self.site = files, Units(files), site
        self._base = digest([surroundings(), self.units.tools])

    @property
    def sources(self) -> str:
        """The digest of all that the site is built from."""
        return digest([self._base, *map(self.files.one, SOURCES)])

    def of(self, unit: Unit, opened: Iterable[str]) -> str:
        """The digest of all that a unit depends on; "" where that cannot be known."""
        if unit.site and self.site is None:
            return ""
        return digest(
            [
                self._base,
                self.units.shape if unit.shape else "",
                *(f"{path}={self.files.one(path)}" for path in unit.depends),
                *(f"{path}={self._opened(path)}" for path in sorted(opened)),
            ]
        )

    def _opened(self, path: str) -> str:
        listed = path.endswith("/")
        if not path.startswith(SITE):
            return self.files.names(path.rstrip("/")) if listed else self.files.one(path)
        built, path = self.site or {}, path.removeprefix(SITE).rstrip("/")
        if path in built:
            return built[path]
        below = [one for one in sorted(built) if not path or one.startswith(f"{path}/")]
        if listed:
            return digest(sorted({one.removeprefix(path).lstrip("/").partition("/")[0] for one in below}))
        # A folder as a whole, or a file that is not there.
        return digest(f"{one}={built[one]}" for one in below)

    def knows(self, entry: Entry, unit: Unit) -> bool:
        """Whether a unit depends on the same as when it was green."""
        return entry.digest == self.of(unit, entry.opened) != ""
