"""``python -m warmup wasm``: its four steps."""

from __future__ import annotations

import sys
from pathlib import Path

from warmup.project import Problem, ProblemError, relative
from warmup.wasm import attestation, files, judges, pins, summary, trial
from warmup.wasm.pins import Pins

STEPS = ("fetch", "attest", "check", "run")


def main(step: str, snippets: list[Path]) -> int:
    """Take one of the STEPS; its exit code. A workflow's summary says what went wrong, and which programs are good."""
    try:
        problems = _taken(step, pins.read(), snippets)
    except ProblemError as error:
        problems = [error.problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        summary.failed(step, map(str, problems))
        print("Nothing is published.")
    return bool(problems)


def _taken(step: str, wanted: Pins, snippets: list[Path]) -> list[Problem]:
    if step == "fetch":
        paths, problems = files.fetch(wanted)
        for path in paths:
            print(f"{relative(path)}: {path.stat().st_size / 1e6:.1f} MB, with the hash in wasm.json")
        return problems
    if step == "attest":
        for pin in attestation.verify(wanted):
            print(f"{pin.file}: built by {pin.attested}")
        return []
    if step == "check":
        if not (problems := files.check(wanted)):
            print(f"{relative(files.FOLDER / 'files')} is what is published.")
        return problems
    good = trial.run(wanted, programs := [*snippets, *judges.judges()])
    print(f"{good} of {len(programs)} programs get a button.")
    return [] if good else [Problem("snippets", 0, "No program printed there what is recorded.")]
