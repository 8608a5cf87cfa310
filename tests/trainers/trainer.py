"""A broken trainer to test: its bugs, copies of the script with some of them, and its check."""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

from warmup.content import mistakes, sources
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
        self.broken, self.fixed = (sources.text(self.folder / name) for name in (mistakes.BROKEN, sources.FIXED))
        self._mistakes = mistakes.read(self.folder / mistakes.FILE)
        self.bugs = [bug.name for bug in self._mistakes]
        self._scripts: dict[str, object] = {}

    def variant(self, broken: Iterable[str]) -> str:
        """The text of the script with exactly these bugs, each given by its name."""
        left, text = set(broken), self.broken
        assert left <= set(self.bugs), left
        for bug in self._mistakes:
            text = text if bug.name in left else bug.mended(text)
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

    @cached_property
    def _runs_in(self) -> Path:
        """A copy of its folder in which ``fixed.py`` is a file."""
        folder = tempfile.mkdtemp(prefix="trainer-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        sources.copy(self.folder, Path(folder))
        return Path(folder)

    def snippet(self, stem: str) -> ModuleType:
        """A file beside the script, such as ``extension``, as a module."""
        name = f"{stem}_of_{self.slug.replace('-', '_')}"
        # A check finds what it shares with others where it stands.
        folder = self.folder if stem == "check" else self._runs_in
        spec = importlib.util.spec_from_file_location(name, folder / f"{stem}.py")
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
