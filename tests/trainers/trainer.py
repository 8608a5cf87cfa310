"""A broken trainer to test: its page's bugs, copies of the script with some of them, and its check."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from types import ModuleType

from warmup.content.page import Page
from warmup.project import ROOT, SNIPPETS

TRAINERS = SNIPPETS / "practice" / "trainers"
PAGES = ROOT / "docs" / "practice" / "trainers"
SLUGS = sorted(path.parent.name for path in TRAINERS.glob("*/broken.py"))
SEEDS = (0, 1, 2, 3, 4)


class Trainer:
    """One trainer.

    Args:
        slug: the name of its page and of its folder.
    """

    def __init__(self, slug: str) -> None:
        self.slug, self.folder = slug, TRAINERS / slug
        self.page = Page.read(PAGES / f"{slug}.md")
        self.broken, self.fixed = (
            self.folder.joinpath(f"{name}.py").read_text("utf-8") for name in ("broken", "fixed")
        )
        self._scripts: dict[str, object] = {}

    @cached_property
    def changes(self) -> dict[str, list[dict[str, str]]]:
        """For each bug, by its name, what repairs it."""
        return {bug["name"]: bug["changes"] for bug in self.page.meta["bugs"]}

    @property
    def bugs(self) -> list[str]:
        return list(self.changes)

    def named(self, part: str) -> str:
        """The name of the bug that has ``part`` in its name."""
        (name,) = [name for name in self.bugs if part in name]
        return name

    def variant(self, broken: Iterable[str]) -> str:
        """The text of the script with exactly these bugs, each given by a part of its name."""
        left = {self.named(part) for part in broken}
        text = self.broken
        for name, changes in self.changes.items():
            for change in changes if name not in left else ():
                text = repaired(text, change)
        return text

    def edited(self, *changes: tuple[str, str], broken: Iterable[str] = ()) -> str:
        """The text of the script with these bugs, in which a first text of each change is replaced by the second."""
        text = self.variant(broken)
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        return text

    def has(self, experiment: str, source: str) -> bool:
        """Whether the check's experiment of this name finds its symptom in a text; errors are not a symptom here."""
        found, error = self.check.check.outcome(getattr(self.check, experiment), self.loaded(source))
        assert not error, error
        return found

    def script(self, *broken: str):
        """The script with exactly these bugs, loaded: ``.names`` has what it defines, ``.run(0)`` trains, once."""
        return self.loaded(self.variant(broken))

    def loaded(self, source: str):
        """A text loaded as a script; the same one for the same text, so that nothing is trained twice."""
        if source not in self._scripts:
            keeps = self.check.check.keeps
            self._scripts[source] = sys.modules["checking"].Script(source, f"<{self.slug}>", keeps)
        return self._scripts[source]

    def runs(self, *broken: str, seeds: Sequence[int] = SEEDS) -> list:
        """What the script with exactly these bugs returns for each seed."""
        return [self.script(*broken).run(seed) for seed in seeds]

    @cached_property
    def check(self) -> ModuleType:
        """The module ``check.py``."""
        return self.snippet("check")

    def snippet(self, stem: str) -> ModuleType:
        """A file beside the script, such as ``extension``, as a module."""
        name = f"{stem}_of_{self.slug.replace('-', '_')}"
        spec = importlib.util.spec_from_file_location(name, self.folder / f"{stem}.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def symptoms(self, *broken: str) -> dict[str, bool]:
        """What the check finds in the script with exactly these bugs."""
        check, script = self.check.check, self.script(*broken)
        return {words: check.outcome(experiment, script)[0] for words, experiment in check.experiments}


@cache
def trainer_of(slug: str) -> Trainer:
    """The trainer of this name, the same for all who ask, so that they share what was trained."""
    return Trainer(slug)


def places(text: str, part: str) -> list[tuple[int, str]]:
    """Where whole lines of ``text`` are those of ``part``: the index of the first, and what all are indented by."""
    lines, wanted, found = text.split("\n"), part.rstrip("\n").split("\n"), []
    for at in range(len(lines) - len(wanted) + 1):
        indent = lines[at][: len(lines[at]) - len(wanted[0])]
        if not indent.strip(" ") and lines[at : at + len(wanted)] == indented(wanted, indent):
            found.append((at, indent))
    return found


def indented(lines: Iterable[str], indent: str) -> list[str]:
    return [indent + line if line else line for line in lines]


def repaired(text: str, change: dict[str, str]) -> str:
    """A text with one change made: ``broken``, whole lines that occur once, are replaced by ``fixed``.

    YAML takes the indentation that all lines of a block share, so both get that of the place.
    """
    ((at, indent),) = places(text, change["broken"])
    lines = text.split("\n")
    count = len(change["broken"].rstrip("\n").split("\n"))
    lines[at : at + count] = indented(change["fixed"].rstrip("\n").split("\n"), indent)
    return "\n".join(lines)
