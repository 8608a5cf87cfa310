"""Writes the recorded output of snippets, `name.out` beside `name.py`, where all machines agree on it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warmup.content import confirmed, outputs, sources
from warmup.content.header import Header
from warmup.content.outputs import output_file
from warmup.project import SNIPPETS, relative, replace_file
from warmup.run.comparison import agree, agree_drawn, compare, diff, header_of, name_of
from warmup.run.emulation import FINGERPRINT, MACHINES, Machine
from warmup.run.played import claims_hold, play, runner_of, share
from warmup.run.result import Result
from warmup.run.runner import Runner

WHAT_TO_DO = (
    "Print fewer digits, print the conclusion (`settles: False`) instead of the numbers, "
    'or declare them in the header: output = "measured" and tolerance = 0.02, which is 2 %'
)


@dataclass(frozen=True)
class Change:
    """What recording did to one snippet: new, changed, unchanged, failed or skipped.

    diff: unified, "" where nothing was written. message: why it failed or was skipped, and what to do.
    """

    path: Path
    status: str
    diff: str = ""
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether the snippet ran and did not end well; a skip is no failure."""
        return self.status == "failed"


def record(
    paths: Iterable[str | os.PathLike[str]],
    *,
    force: bool = False,
    variant: str = "",
    machines: Sequence[Machine] = MACHINES,
) -> list[Change]:
    """Run snippets, write the outputs that changed, print the differences; one Change for each, in order.

    An output is written only if all `machines` agree on it: to the last byte, or if it is measured within the
    tolerance of its header. What the first one prints is written. Outputs of kind "recorded" (timings, memory,
    CUDA) run there only; such a one is unchanged if only its numbers differ, and `force` writes it all the same.

    `variant`, such as "from-2.14" or "before-2.12", writes what the torch at hand prints instead of the pinned one.

    A snippet that fails or is skipped keeps its output. Ctrl-C and SIGTERM raise KeyboardInterrupt; each
    file is then the old or the new one.
    """
    files = [Path(path) for path in paths]
    # What is measured by the clock must not share the machine with another snippet.
    alone = [path for path in files if header_of(path).output == "recorded"]
    shared = [path for path in files if path not in alone]
    changes = {}
    with _sigterm_as_interrupt():
        with Runner(environment=machines[0].environment) as runner:
            results = {result.path: result for result in runner.run_many(shared, 2)}
            results |= {result.path: result for result in runner.run_many(alone, 1)}
        disputes = _disputes([results[path] for path in shared], machines)
        for path in files:
            change = changes[path] = _record_one(results[path], force, variant, disputes.get(path, ""))
            print(change.diff or f"{change.status}: {change.message or name_of(change.path)}")
        if machines == MACHINES and not variant:
            _note(path for path in shared if changes[path].status not in ("failed", "skipped"))
    return [changes[path] for path in files]


def check(paths: Sequence[Path], *, claims: bool = False, part: str = "") -> int:
    """Compare what each machine prints with the record, or a part of it, and note what all of them confirm.

    claims: run these as well, on each CPU. Returns how many comparisons failed, with one for failing claims.
    """
    files = share(paths, part)
    ran, failed = dict.fromkeys(files, 0), 0
    wrong: set[Path] = set()
    for machine in MACHINES:
        differing = {}
        for result in _results_on(machine, files):
            ran[result.path] += result.status == "ok"
            if difference := compare(result.path, result):
                differing[result.path] = difference
        for path, difference in differing.items():
            print(f"{relative(path)} on {machine.name}:\n{difference}", file=sys.stderr)
        print(f"{len(differing)} of {len(files)} differ on {machine.name}", flush=True)
        wrong |= differing.keys()
        failed += len(differing)
    _note(path for path in files if ran[path] == len(MACHINES) and path not in wrong)
    return failed + (claims and not claims_hold(part))


def _note(agreed: Iterable[Path]) -> None:
    """Note on which snippets of this project all machines agree."""
    inside = [path.resolve() for path in agreed if path.resolve().is_relative_to(SNIPPETS)]
    if found := [path for path in inside if confirmed.needed(path)]:
        confirmed.note(found, FINGERPRINT)


def check_on(machine: Machine, paths: Iterable[str | os.PathLike[str]]) -> Iterator[tuple[Path, str]]:
    """Run snippets on a machine and yield those whose output differs from the record, each with what is wrong."""
    for result in _results_on(machine, paths):
        if difference := compare(result.path, result):
            yield result.path, difference


def _results_on(machine: Machine, paths: Iterable[str | os.PathLike[str]]) -> Iterator[Result]:
    with runner_of(machine) as runner:
        # Threads that wait for each other on busy cores take many times as long.
        yield from runner.run_many(paths, 2 if machine.environment["OMP_NUM_THREADS"] == "1" else 1)


def _disputes(results: Sequence[Result], machines: Sequence[Machine]) -> dict[Path, str]:
    """For each snippet on whose output the machines do not agree: who prints what."""
    first = {result.path: result for result in results if result.status == "ok"}
    found: dict[Path, str] = {}

    def told(machine: Machine, result: Result) -> None:
        path, kind, mine = result.path, header_of(result.path), first[result.path]
        if result.status != "ok":
            found.setdefault(path, f"On {machine.name}: {result.message}\n")
        elif not agree_drawn(mine.drawing, result.drawing, kind):
            found.setdefault(path, f"It draws another plot on {machine.name}.\n")
        elif not agree(mine.stdout, result.stdout, kind):
            found.setdefault(path, diff(path, mine.stdout, result.stdout, machines[0].name, machine.name))

    # A machine need not run what others dispute already.
    play(machines[1:], lambda: [path for path in first if path not in found], told)
    return found


def _record_one(result: Result, force: bool, variant: str, dispute: str) -> Change:
    path = result.path
    out = output_file(path)
    if result.status == "skipped":
        kept = "its recorded output stays as it is" if out.exists() else "nothing is recorded"
        return Change(path, "skipped", message=f"{result.message}; {kept}")
    if result.status != "ok":
        return Change(path, "failed", message=result.message)
    if dispute:
        refused = f"{name_of(path)} prints something else on another machine, so nothing was recorded."
        return Change(path, "failed", message=f"{refused}\n{dispute}{WHAT_TO_DO}")
    kind = header_of(path)
    named = bool(variant) or kind.output != "exact"
    if named and not (result.device and result.torch):
        return Change(path, "failed", message=f"{path} did not tell its device and torch: let it end normally")
    if wrong := _wrong_torch(result, kind, variant):
        return Change(path, "failed", message=wrong)
    if variant:
        main, out = outputs.read(out), out.with_suffix(f".torch-{variant}.out")
        if main is not None and agree(main.text, result.stdout, kind):
            return Change(path, "unchanged", message=f"{name_of(path)} prints what is recorded, so it needs no variant")
    old, new = _read(out), result.stdout
    if named:
        before, code = outputs.read(out), sources.text(path)
        if old and not force and before and before.tied_to(code) and agree(before.text, new, kind):
            new = old
        else:
            new = outputs.written(new, code, result.device, result.torch, f"{datetime.now(UTC):%Y-%m-%d}")
    redrawn = not variant and _record_drawing(result, kind, force)
    if old == new:
        return Change(path, "changed", f"{name_of(path)}.svg: drawn again\n") if redrawn else Change(path, "unchanged")
    replace_file(out, new)
    return Change(path, "new" if old is None else "changed", diff(path, old or "", new, "before", "now"))


def _record_drawing(result: Result, kind: Header, force: bool) -> bool:
    """Write the plot that a run drew, or take away the one that it no longer draws; whether anything changed."""
    file, code = outputs.drawing_file(result.path), sources.text(result.path)
    old = outputs.read_drawing(file)
    if not result.drawing:
        file.unlink(missing_ok=True)
        return old is not None
    if not force and old and old.tied_to(code) and agree_drawn(old.text, result.drawing, kind):
        return False
    replace_file(file, outputs.drawn(result.drawing, code, result.torch))
    return True


def _wrong_torch(result: Result, kind: Header, variant: str) -> str:
    """Why this torch may not write this file; "" if it may. CUDA outputs name the torch that printed them."""
    pin, name = outputs.recorded_torch(), name_of(result.path)
    if variant:
        found = outputs.Variant.parse(result.path.with_suffix(f".torch-{variant}.out"))
        if found is None:
            return f"{variant!r} names no range of torch: write it as from-2.14 or before-2.12"
        if not found.covers(result.torch) or found.covers(pin):
            return f"{found.name} must hold the torch at hand, {result.torch}, and not the pinned {pin}"
    elif "cuda" not in kind.needs and result.torch.partition("+")[0] != pin:
        return (
            f"{name} was run with torch {result.torch}, but outputs are recorded with {pin}: install that, or record "
            f"what is different as a variant, as in make record Q={name} VARIANT=from-2.14"
        )
    return ""


def _read(out: Path) -> str | None:
    try:
        return out.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
