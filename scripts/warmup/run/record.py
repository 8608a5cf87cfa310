"""Writes and compares the recorded output of snippets: `name.out` beside `name.py`."""

from __future__ import annotations

import difflib
import os
import re
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warmup.content import outputs
from warmup.content.header import Header, HeaderError, parse
from warmup.content.outputs import output_file
from warmup.run.emulation import MACHINES, Machine
from warmup.run.runner import Result, Runner

# Padding belongs to the number: a column of timings moves when one gets a digit more.
_NUMBER = re.compile(r" *\d+(?:\.\d*)*(?:[eE][+-]?\d+)? *")
_VALUE = re.compile(r" *(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?) *")
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
    paths = [Path(path) for path in paths]
    # What is measured by the clock must not share the machine with another snippet.
    alone = [path for path in paths if _header(path).output == "recorded"]
    shared = [path for path in paths if path not in alone]
    changes = {}
    with _sigterm_as_interrupt():
        with Runner(environment=machines[0].environment) as runner:
            results = {result.path: result for result in runner.run_many(shared, 2)}
            results |= {result.path: result for result in runner.run_many(alone, 1)}
        disputes = _disputes([results[path] for path in shared], machines)
        for path in paths:
            change = changes[path] = _record_one(results[path], force, variant, disputes.get(path, ""))
            print(change.diff or f"{change.status}: {change.message or _name(change.path)}")
    return [changes[path] for path in paths]


def check_on(machine: Machine, paths: Iterable[str | os.PathLike[str]]) -> Iterator[tuple[Path, str]]:
    """Run snippets on a machine and yield those whose output differs from the record, each with what is wrong."""
    with _played(machine) as runner:
        for result in runner.run_many(paths, _workers(machine)):
            if difference := compare(result.path, result):
                yield result.path, difference


def compare(path: str | os.PathLike[str], result: Result) -> str:
    """ "" if the result agrees with the recorded output, or if it was skipped; else what is wrong.

    That is a unified diff, or one sentence if there is nothing to compare. A run with another torch than the
    pinned one is compared with the output that is recorded for its version, if there is one.
    """
    path = Path(path)
    if result.status == "skipped":
        return ""
    if result.status != "ok":
        return result.message
    again = f"run make record Q={_name(path)}"
    kind = _header(path)
    file = outputs.for_torch(path, result.torch) if result.torch else output_file(path)
    old = outputs.read(file)
    if old is None:
        return f"no recorded output: {again}"
    if kind.output != "exact" and not old.provenance:
        return f"the recorded output does not say where it was recorded: {again}"
    return "" if _agree(old.text, result.stdout, kind) else _diff(path, old.text, result.stdout, "recorded", "this run")


def _disputes(results: Sequence[Result], machines: Sequence[Machine]) -> dict[Path, str]:
    """For each snippet on whose output the machines do not agree: who prints what."""
    wanted = {result.path: result for result in results if result.status == "ok"}
    found: dict[Path, str] = {}
    for machine in machines[1:] if wanted else ():
        with _played(machine) as runner:
            for result in runner.run_many(list(wanted), _workers(machine)):
                first = wanted[result.path]
                if result.status != "ok":
                    found.setdefault(result.path, f"On {machine.name}: {result.message}\n")
                elif not _agree(first.stdout, result.stdout, _header(result.path)):
                    diff = _diff(result.path, first.stdout, result.stdout, machines[0].name, machine.name)
                    found.setdefault(result.path, diff)
    return found


def _played(machine: Machine) -> Runner:
    # An emulated machine is slow: plain kernels, and more threads than there may be cores.
    return Runner(environment=machine.environment, patience=6)


def _workers(machine: Machine) -> int:
    # Threads that wait for each other on busy cores take many times as long.
    return 2 if machine.environment["OMP_NUM_THREADS"] == "1" else 1


def _record_one(result: Result, force: bool, variant: str, dispute: str) -> Change:
    path = result.path
    out = output_file(path)
    if result.status == "skipped":
        kept = "its recorded output stays as it is" if out.exists() else "nothing is recorded"
        return Change(path, "skipped", message=f"{result.message}; {kept}")
    if result.status != "ok":
        return Change(path, "failed", message=result.message)
    if dispute:
        refused = f"{_name(path)} prints something else on another machine, so nothing was recorded."
        return Change(path, "failed", message=f"{refused}\n{dispute}{WHAT_TO_DO}")
    kind = _header(path)
    named = bool(variant) or kind.output != "exact"
    if named and not (result.device and result.torch):
        return Change(path, "failed", message=f"{path} did not tell its device and torch: let it end normally")
    if wrong := _wrong_torch(result, kind, variant):
        return Change(path, "failed", message=wrong)
    if variant:
        main, out = outputs.read(out), out.with_suffix(f".torch-{variant}.out")
        if main is not None and _agree(main.text, result.stdout, kind):
            return Change(path, "unchanged", message=f"{_name(path)} prints what is recorded, so it needs no variant")
    old, new = _read(out), result.stdout
    if named:
        before, code = outputs.read(out), path.read_text(encoding="utf-8")
        tied = before and before.fingerprint == outputs.fingerprint(code, before.text)
        if tied and not force and _agree(before.text, new, kind):
            return Change(path, "unchanged")
        new = outputs.written(new, code, result.device, result.torch, f"{datetime.now(UTC):%Y-%m-%d}")
    if old == new:
        return Change(path, "unchanged")
    _write(out, new)
    return Change(path, "new" if old is None else "changed", _diff(path, old or "", new, "before", "now"))


def _wrong_torch(result: Result, kind: Header, variant: str) -> str:
    """Why this torch may not write this file; "" if it may. CUDA outputs name the torch that printed them."""
    pin, name = outputs.recorded_torch(), _name(result.path)
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


def _agree(recorded: str, fresh: str, kind: Header) -> bool:
    """Whether two outputs are the same, as far as their kind promises it."""
    if kind.output == "exact" or recorded == fresh:
        return recorded == fresh
    if _NUMBER.sub("#", recorded) != _NUMBER.sub("#", fresh):
        return False
    if kind.output == "recorded":
        return True
    pairs = zip(_values(recorded), _values(fresh), strict=True)
    return all(abs(a - b) <= kind.tolerance * max(abs(a), abs(b)) for a, b in pairs)


def _values(text: str) -> list[float]:
    return [float(match[1]) for match in _VALUE.finditer(text)]


def _header(path: Path) -> Header:
    try:
        return parse(path.read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError, HeaderError):
        return Header()  # the runner reports it


def _name(path: Path) -> str:
    parts = path.resolve().with_suffix("").parts
    last = len(parts) - 1 - parts[::-1].index("snippets") if "snippets" in parts else -4
    return "/".join(parts[last + 1 :])


def _diff(path: Path, old: str, new: str, old_label: str, new_label: str) -> str:
    if old == new:
        return ""
    name = _name(path) + ".out"
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        f"{name} ({old_label})",
        f"{name} ({new_label})",
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _read(out: Path) -> str | None:
    try:
        return out.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None


def _write(out: Path, text: str) -> None:
    """Replace the file at once; whatever happens, it is the old one or the new one."""
    new = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        new.write_bytes(text.encode())
        os.replace(new, out)
    finally:
        new.unlink(missing_ok=True)


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
