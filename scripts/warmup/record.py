"""Writes and compares the recorded output of snippets: `name.out` beside `name.py`."""

from __future__ import annotations

import difflib
import os
import re
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from warmup.header import HeaderError, parse
from warmup.runner import Result, Runner

PROVENANCE = "# recorded on "
# Padding belongs to the number: a column of timings moves when one gets a digit more.
_NUMBER = re.compile(r" *\d+(?:\.\d*)*(?:[eE][+-]?\d+)? *")


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


def output_file(path: str | os.PathLike[str]) -> Path:
    """Where the output of a snippet is recorded."""
    return Path(path).with_suffix(".out")


def record(paths: Iterable[str | os.PathLike[str]], runner: Runner, *, force: bool = False) -> list[Change]:
    """Run snippets, write the outputs that changed, print the differences; one Change for each, in order.

    An output of kind "recorded" is unchanged if only its numbers differ; `force` writes it all the same.
    A snippet that fails or is skipped keeps its output. Ctrl-C and SIGTERM raise KeyboardInterrupt; each
    file is then the old or the new one.
    """
    paths = [Path(path) for path in paths]
    # What is measured must not share the machine with another snippet.
    measured = [path for path in paths if _is_recorded(path)]
    exact = [path for path in paths if path not in measured]
    changes = {}
    with _sigterm_as_interrupt():
        for group, workers in ((exact, 2), (measured, 1)):
            for result in runner.run_many(group, workers):
                change = changes[result.path] = _record_one(result, result.path in measured, force)
                print(change.diff or f"{change.status}: {change.message or _name(change.path)}")
    return [changes[path] for path in paths]


def compare(path: str | os.PathLike[str], result: Result) -> str:
    """ "" if the result agrees with the recorded output, or if it was skipped; else what is wrong.

    That is a unified diff, or one sentence if there is nothing to compare.
    """
    path = Path(path)
    if result.status == "skipped":
        return ""
    if result.status != "ok":
        return result.message
    again = f"run make record Q={_name(path)}"
    old = _read(output_file(path))
    if old is None:
        return f"no recorded output: {again}"
    new = result.stdout
    if _is_recorded(path):
        if not old.startswith(PROVENANCE):
            return f"the recorded output does not say where it was recorded: {again}"
        old, new = _comparable(old), _comparable(new)
    return _diff(path, old, new, "recorded", "this run")


def _record_one(result: Result, measured: bool, force: bool) -> Change:
    path, out = result.path, output_file(result.path)
    if result.status == "skipped":
        kept = "its recorded output stays as it is" if out.exists() else "nothing is recorded"
        return Change(path, "skipped", message=f"{result.message}; {kept}")
    if result.status != "ok":
        return Change(path, "failed", message=result.message)
    old, new = _read(out), result.stdout
    if measured:
        if not (result.device and result.torch):
            return Change(
                path, "failed", message=f"{path} did not tell its device and torch: let it end normally"
            )
        if (
            old is not None
            and not force
            and old.startswith(PROVENANCE)
            and _comparable(old) == _comparable(new)
        ):
            return Change(path, "unchanged")
        new = f"{PROVENANCE}{result.device}, torch {result.torch}, {datetime.now(UTC):%Y-%m-%d}\n{new}"
    if old == new:
        return Change(path, "unchanged")
    _write(out, new)
    return Change(path, "new" if old is None else "changed", _diff(path, old or "", new, "before", "now"))


def _is_recorded(path: Path) -> bool:
    try:
        return parse(path.read_text(encoding="utf-8"), path).output == "recorded"
    except (OSError, UnicodeDecodeError, HeaderError):
        return False  # the runner reports it


def _comparable(text: str) -> str:
    lines = text.splitlines(keepends=True)
    if lines and lines[0].startswith(PROVENANCE):
        del lines[0]
    return _NUMBER.sub("#", "".join(lines))


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
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


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
