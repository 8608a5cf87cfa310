"""`make page`: all that holds for one page, side by side: checks, outputs, claims, and the page itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from warmup.checks import claims, project
from warmup.content import markdown, outputs, sources
from warmup.kinds import exercises, puzzles, trainers
from warmup.kinds.puzzles import Puzzle, PuzzlePage
from warmup.project import DOCS, ROOT, SNIPPETS, Problem, ProblemError, relative
from warmup.run.comparison import compare, name_of
from warmup.run.runner import Runner

SITE = ROOT / "build" / "page"
# What MkDocs says of each build that leaves pages out.
_DIRTY = "A 'dirty' build is being performed"
_SUMMARY = re.compile(r"(\d+ \w+.*) in [\d.]+s")  # as in: 1 failed, 2 passed in 0.12s


@dataclass(frozen=True)
class Target:
    """A page and what belongs to it.

    Attributes:
        id: ``level/topic/slug``, ``practice/write/slug``, or whatever else leads to it below ``docs/``.
        path: its file.
        shown: the page of the site that shows it, below ``docs/``; a puzzle has none of its own.
        programs: what it shows, as far as that is run and recorded.
        tests: what pytest is told.
        files: all files of its own, and the folder of its topic, where its diagrams are.
        folder: where further files of its own stand, or how the names of these begin.
    """

    id: str
    path: Path
    shown: str
    programs: list[Path]
    tests: list[str]
    files: frozenset[Path]
    folder: str

    def owns(self, problem: Problem) -> bool:
        """Whether a problem is one of this page: of a file of its own, or of one that should name it."""
        stem = problem.path.partition(".")[0]
        own = {relative(file).partition(".")[0] for file in self.files if file.suffix}
        if stem in own or stem.startswith(f"{self.folder}/"):
            return True
        if stem.startswith(self.folder) and problem.message.startswith("No page shows"):
            return True
        name = rf"(?<![\w/-]){re.escape(self.id)}(?![\w-])|'{re.escape(self.path.stem)}'"
        return bool(re.search(name, f"{problem.message} {problem.fix}"))

    @property
    def built(self) -> Path:
        """Where it is when it is built."""
        place = Path(self.shown).with_suffix("")
        return SITE / (place.parent if place.name == "index" else place) / "index.html"


@dataclass(frozen=True)
class Part:
    """What one part gave: how long it took in seconds, in a few words what it is, and what is wrong, if anything."""

    name: str
    seconds: float
    said: str
    wrong: str = ""


def find(name: str) -> Target:
    """The page that ``name`` means.

    Raises:
        ProblemError: there is no such page, or it cannot be read.
    """
    bare = re.sub(r"^docs/|\.(md|ipynb)$", "", name).replace("_", "-")
    found = [path for kind in ("md", "ipynb") if (path := DOCS / f"{bare}.{kind}").is_file()]
    if not bare or not found:
        fix = "Write level/topic/slug, practice/write/slug, practice/trainers/slug, practice/predict/slug or labs/name."
        raise ProblemError(Problem(f"Q={name}", 0, "There is no such page.", fix))
    path, folder = found[0], f"snippets/{bare}"
    shown, programs, tests = path.relative_to(DOCS).as_posix(), [], [relative(path)]
    files = {path, path.parent}
    kind, _, slug = bare.rpartition("/")
    stem = slug.replace("-", "_")
    if path.suffix == ".ipynb":
        tests = ["tests/test_labs.py", "-k", slug]
    elif kind == puzzles.FOLDER:
        puzzle = Puzzle(PuzzlePage.read(path), None)
        shown, folder = f"{kind}.md", f"snippets/{puzzle.stem}"
        files |= {SNIPPETS / one for one in puzzle.files}
        programs = [file for file in sorted(files) if file.suffix == ".py"]
    elif kind in (exercises.FOLDER, trainers.FOLDER) and slug != "index":
        files |= {*sources.below(SNIPPETS / bare)}
        programs = outputs.programs(SNIPPETS, bare)
        if kind == exercises.FOLDER:
            tests += ["tests/write/test_judges.py", "-k", slug]
        else:
            tests += [f"tests/trainers/test_{stem}.py", "tests/trainers/test_trainers.py", "-k", f"{slug} or {stem}"]
    else:
        folder = f"snippets/{kind}/{stem}"
        lines = markdown.lines(path.read_text(encoding="utf-8"))
        included = [SNIPPETS / include["path"] for line in lines if (include := line.include)]
        files |= {claims.module_of(bare), *included, *(file.with_suffix(".py") for file in included)}
        programs = [file for file in dict.fromkeys(included) if file.suffix == ".py"]
        tests += [relative(claims.module_of(bare))]
    tests = [one for one in tests if not one.startswith("tests/") or (ROOT / one).is_file()]
    return Target(bare, path, shown, [one for one in programs if sources.exists(one)], tests, frozenset(files), folder)


def check(target: Target) -> tuple[str, str]:
    """What is wrong with the page and its files without running them."""
    own = [str(problem) for problem in project.problems(target.files)[1] if target.owns(problem)]
    return f"{len(own)} problems" if own else "ok", "\n".join(own)


def compare_outputs(target: Target) -> tuple[str, str]:
    """Where programs print or draw something else than what is recorded.

    Raises:
        TorchMissing: torch is not installed.
    """
    if not target.programs:
        return "no programs", ""
    wrong, skipped = [], 0
    with Runner() as runner:
        results = sorted(runner.run_many(target.programs), key=lambda result: result.path)
    for result in results:
        skipped += result.status == "skipped"
        if difference := compare(result.path, result):
            again = f"If this is what it should print: make record Q={name_of(result.path)}"
            wrong.append("\n".join(filter(None, (relative(result.path), difference.rstrip(), result.stderr, again))))
    count = len(target.programs)
    said = f"{len(wrong)} of {count} programs differ" if wrong else f"ok: {count} programs"
    return said + (f", {skipped} not run here" if skipped else ""), "\n".join(wrong)


def prove(target: Target) -> tuple[str, str]:
    """Claims and code blocks that fail."""
    options = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider"]
    ended = _run("pytest", *options, *target.tests)
    if ended.returncode == 5:  # nothing was found to run
        return "no claims", ""
    found = _SUMMARY.findall(ended.stdout)
    said = found[-1] if found else "not run"
    return (said, ended.stdout + ended.stderr) if ended.returncode else (f"ok: {said}", "")


def render(target: Target) -> tuple[str, str]:
    """What MkDocs warns of when it builds this page."""
    target.built.unlink(missing_ok=True)
    ended = _run("mkdocs", "build", "--dirty", "--site-dir", str(SITE), ONLY=target.shown)
    messages = re.split(r"^(?=[A-Z]+ +- )", ended.stderr, flags=re.M)
    told = [one.rstrip() for one in messages if one.strip() and not one.startswith("INFO ") and _DIRTY not in one]
    if told or ended.returncode or not target.built.is_file():
        return "not as it should be", "\n".join(told) or f"MkDocs did not build {relative(target.built)}."
    return f"ok: {relative(target.built)}", ""


def parts(target: Target) -> Iterator[Part]:
    """All parts, each when it is done."""

    def timed(name: str, part: Callable[[Target], tuple[str, str]]) -> Part:
        start = time.monotonic()
        said, wrong = part(target)
        return Part(name, time.monotonic() - start, said, wrong)

    todo = {"claims": prove, "page": render, "outputs": compare_outputs, "checks": check}
    with ThreadPoolExecutor(len(todo)) as pool:
        for future in as_completed([pool.submit(timed, name, part) for name, part in todo.items()]):
            yield future.result()


def main(name: str) -> int:
    """Say of each part how it went, then all that is wrong; the exit code says whether anything is.

    Raises:
        ProblemError: there is no such page.
        TorchMissing: torch is not installed.
    """
    target, wrong = find(name), []
    for part in parts(target):
        print(f"{part.name:8} {part.seconds:5.1f} s  {part.said}", flush=True)
        wrong += [f"\n{part.name}:\n{part.wrong.rstrip()}"] if part.wrong else []
    for text in wrong:
        print(text, file=sys.stderr)
    return bool(wrong)


def _run(module: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
