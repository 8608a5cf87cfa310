"""Which mutants are noticed, and by what: the output of the snippet, or a claim."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from warmup.project import ROOT, SNIPPETS
from warmup.run.comparison import compare
from warmup.run.mutants.claims import claims
from warmup.run.mutants.mutate import Mutant
from warmup.run.result import Result
from warmup.run.runner import Runner

# A mutant may loop for ever: it gets this many times the snippet's own seconds, and some for a busy machine.
PATIENCE, SPARE = 3, 10
UNBROKEN = 600

# Runs as a snippet does, forked from the server that has imported torch. No bytecode is written: a mutant of the
# same second and size would be taken for the one before.
_PYTEST = """\
import os, sys
if __name__ == "__main__":
    os.chdir({root!r})
    sys.path.insert(0, {scripts!r})
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["WARMUP_SNIPPETS"] = {snippets!r}
    import pytest
    sys.exit(pytest.main(
        ["-x", "-q", "-rfE", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist",
         "-o", "addopts=--import-mode=importlib", *{tests!r}]))
"""


class Refused(RuntimeError):
    """Nothing can be said about the mutants: something is wrong without them."""


class Broken:
    """Breaks one snippet in a copy of all, and asks its output and its claims.

    Raises:
        Refused: the snippet or its claims fail unbroken.
    """

    def __init__(self, path: Path, runner: Runner, folder: Path, snippets: Path = SNIPPETS, root: Path = ROOT):
        self.runner, self.root, self.snippet = runner, root, path.relative_to(snippets).as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.tree, self.script = folder / "snippets", folder / "claims.py"
        shutil.copytree(snippets, self.tree, ignore=shutil.ignore_patterns("__pycache__"))
        self.path = self.tree / self.snippet
        self.tests = claims(self.snippet, root)
        self.claims_seconds = 0.0  # until they have passed unbroken
        result = runner.run(self.path, UNBROKEN)
        if result.status != "ok" or compare(self.path, result):
            raise Refused(
                f"{self.snippet} does not print what is recorded, also unbroken:\n"
                f"{result.message or compare(self.path, result)}{result.stderr}"
            )
        self.seconds = result.seconds

    def notices(self, mutant: Mutant) -> str:
        """What tells the mutant from the snippet: its output, a claim, that it never ends, or "" for nothing."""
        self.path.write_text(mutant.text, encoding="utf-8")
        try:
            result = self.runner.run(self.path, SPARE + PATIENCE * self.seconds)
            if result.status in ("timeout", "late"):
                return "time"
            if result.status != "ok" or compare(self.path, result):
                return "output"
            return self._claims_notice(mutant)
        finally:
            self.path.write_text(self.text, encoding="utf-8")

    def _claims_notice(self, mutant: Mutant) -> str:
        if not self.tests:
            return ""
        if not self.claims_seconds:
            self._pass_unbroken()
        self.path.write_text(mutant.text, encoding="utf-8")
        result = self._pytest(SPARE + PATIENCE * self.claims_seconds)
        if result.code == 0 and result.status in ("ok", "left-children"):
            return ""
        if result.status in ("timeout", "late"):
            return "time"
        if result.code == 1:
            return "claims"
        # The module does not load, or the process died. Is it the mutant? Then all is well without it.
        self._pass_unbroken()
        return "claims"

    def _pass_unbroken(self) -> None:
        self.path.write_text(self.text, encoding="utf-8")
        result = self._pytest(UNBROKEN)
        if result.code != 0:
            raise Refused(f"The claims about {self.snippet} fail, also unbroken:\n{result.stdout}{result.stderr}")
        self.claims_seconds = result.seconds

    def _pytest(self, timeout: float) -> Result:
        self.script.write_text(
            _PYTEST.format(
                root=str(self.root), scripts=str(ROOT / "scripts"), snippets=str(self.tree), tests=self.tests
            )
        )
        return self.runner.run(self.script, timeout)


def verdicts(
    mutants: Iterable[Mutant],
    runner: Runner,
    snippets: Path = SNIPPETS,
    root: Path = ROOT,
) -> Iterator[dict[Mutant, str] | Refused]:
    """Snippet by snippet, as they are done: what noticed each of its mutants, "" for nothing; or why none is judged."""
    by_snippet = defaultdict(list)
    for mutant in mutants:
        by_snippet[mutant.snippet].append(mutant)

    def tried(name: str) -> dict[Mutant, str] | Refused:
        with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
            try:
                copy = Broken(snippets / name, runner, Path(folder), snippets, root)
                return {mutant: copy.notices(mutant) for mutant in by_snippet[name]}
            except Refused as refusal:
                return refusal

    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        for future in as_completed([pool.submit(tried, name) for name in by_snippet]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
