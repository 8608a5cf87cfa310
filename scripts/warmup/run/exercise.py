"""Judge what a reader has written for an exercise, once or whenever it is saved, or check a script that was mended."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warmup.content import one_file
from warmup.content.header import Header
from warmup.project import ROOT, SNIPPETS, Problem, ProblemError
from warmup.run.process import CLOCK, OnOutput
from warmup.run.runner import Runner

EXERCISES = SNIPPETS / "practice" / "write"
MINE = ROOT / "mine"  # what a reader writes; git ignores it
SECONDS = 20.0
CHECK_SECONDS = 150.0  # more than a check gives a script
POLL = 0.2  # seconds

# Runs as a snippet does, forked from the server that has imported torch.
_JUDGE = """\
import runpy
from pathlib import Path

judge = runpy.run_path({judge!r})
judge["inside"](judge["judge"], Path({solution!r}), Path({report!r}))
"""


_CHECK = """\
import runpy
import sys

sys.argv = [{check!r}, {script!r}]
runpy.run_path({check!r}, run_name="__main__")
"""


@dataclass(frozen=True)
class Judged:
    """Whether a solution passed, what its author is told, and how long it took."""

    passed: bool
    text: str
    seconds: float


def judged(runner: Runner, slug: str, solution: Path, seconds: float = SECONDS) -> Judged:
    """Judge a solution in a process of its own.

    Args:
        runner: entered.
        slug: the exercise.
        solution: the file.
        seconds: of processor time, after which it counts as one that never ends.

    Raises:
        ProblemError: there is no such exercise.
    """
    judge = judge_of(slug)
    with tempfile.TemporaryDirectory(prefix="warmup-") as folder:
        program, whole, report = (Path(folder, name) for name in ("inside.py", "judge.py", "report.jsonl"))
        whole.write_text(one_file.assembled(judge), encoding="utf-8")  # what readers download
        paths = {"judge": str(whole), "solution": str(solution.resolve()), "report": str(report)}
        program.write_text(_JUDGE.format(**paths), encoding="utf-8")
        report.touch()
        result = runner.run(program, seconds, declared=Header())
        lines = report.read_text(encoding="utf-8").splitlines()
    told = json.loads(lines[-1]) if lines else {}
    if "passed" in told:
        return Judged(told["passed"], told["text"], result.seconds)
    how = {
        "timeout": f"Your code used {seconds:g} seconds of processor time and was stopped.",
        "late": f"Your code was stopped after {CLOCK * seconds:g} seconds, your machine may be busy; "
        "or it waits for what never comes. This is no verdict: try again.",
        "signal": f"Your code ended the process: {result.signal}.",
        "ok": "Your code ended the process.",
    }
    text = how.get(result.status) or f"{result.message}\n{result.stderr}".strip()
    where = f"in group {told['group'] + 1} of the judge's" if told else "while it was loaded"
    return Judged(False, f"{text}\nThat was {where}.", result.seconds)


def checked(runner: Runner, check: Path, script: Path, on_output: OnOutput | None = None) -> bool:
    """Whether all symptoms of a broken trainer are gone from a script; what its check prints says which are.

    Args:
        runner: entered.
        check: the trainer's ``check.py``.
        script: the file.
        on_output: gets what is printed when it is printed.
    """
    with tempfile.TemporaryDirectory(prefix="warmup-") as folder:
        program = Path(folder, "check.py")
        program.write_text(_CHECK.format(check=str(check), script=str(script.resolve())), encoding="utf-8")
        result = runner.run(program, CHECK_SECONDS, declared=Header(), on_output=on_output)
    return result.status == "ok"


def judge_of(slug: str) -> Path:
    """The judge of an exercise.

    Raises:
        ProblemError: there is no such exercise.
    """
    judge = EXERCISES / slug / "judge.py"
    if not slug or "/" in slug or not judge.is_file():
        known = ", ".join(sorted(path.parent.name for path in EXERCISES.glob("*/judge.py")))
        raise ProblemError(Problem(f"Q={slug}", 0, "There is no such exercise.", f"There are: {known}."))
    return judge


def write(slug: str, folder: Path = MINE) -> int:
    """Copy the starter of an exercise to a folder of the reader's, and judge it whenever it is saved, until it passes.

    Args:
        slug: the exercise.
        folder: where the file is, or becomes a copy of the starter.

    Returns:
        0.

    Raises:
        ProblemError: there is no such exercise.
    """
    starter = judge_of(slug).with_name("starter.py")
    mine = folder / f"{slug.replace('-', '_')}.py"
    if mine.exists():
        print(f"Yours, as you left it: {mine}")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        mine.write_bytes(starter.read_bytes())
        print(f"Write here: {mine}")
    print("It is judged whenever you save it. Ctrl+C ends this.", flush=True)
    with Runner() as runner:
        for found in saved(runner, slug, mine, mine.read_bytes() == starter.read_bytes()):
            print(f"\n{found.text}", flush=True)
            if found.passed:
                break
    return 0


def saved(runner: Runner, slug: str, mine: Path, untouched: bool = False) -> Iterator[Judged]:
    """The judgment of a file, as it stands unless it is ``untouched``, and again whenever it has been saved."""
    seen = stamp(mine) if untouched else None
    while True:
        if (now := stamp(mine)) not in (None, seen):
            seen = now
            yield judged(runner, slug, mine)
        time.sleep(POLL)


def stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file is saved; None while there is none, as editors replace files."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
