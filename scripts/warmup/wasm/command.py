"""``python -m warmup wasm``: its three steps."""

from __future__ import annotations

import sys
from pathlib import Path

from warmup.project import relative
from warmup.wasm import files, judges, pins, trial

STEPS = ("fetch", "check", "run")


def main(step: str, snippets: list[Path]) -> int:
    """Take one of the STEPS; its exit code.

    Raises:
        ProblemError: a file cannot be had or is not the right one, or there is no Node.
    """
    wanted = pins.read()
    if step == "fetch":
        for path in files.fetch(wanted):
            print(f"{relative(path)}: {path.stat().st_size / 1e6:.1f} MB, with the hash in wasm.json")
        return 0
    if step == "check":
        problems = files.check(wanted)
        for problem in problems:
            print(problem, file=sys.stderr)
        print("Nothing is published." if problems else f"{relative(files.FOLDER / 'files')} is what is published.")
        return bool(problems)
    good = trial.run(wanted, programs := [*snippets, *judges.judges()])
    print(f"{good} of {len(programs)} programs get a button.")
    return not good
