"""Processes whose parent has gone: on Linux they become children of this process, which then can end them.

A program can start a process in a session of its own, out of reach of whoever ends the program's group. When the
process that started it ends, the nearest ancestor that has called `adopt` becomes its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PR_GET_CHILD_SUBREAPER = 37


def adopt() -> bool:
    """Become the parent of descendants whose parent ends. False where the system has no such thing."""
    if sys.platform != "linux":
        return False
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopting() -> bool:
    """Whether this process has called `adopt`."""
    if sys.platform != "linux":
        return False
    flag = ctypes.c_int(0)
    return ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0) == 0 and flag.value == 1


@dataclass(frozen=True)
class Seen:
    """A process, as /proc tells of it; dead: it has ended, and its parent has not asked how."""

    parent: int
    group: int
    dead: bool


def seen() -> dict[int, Seen]:
    """All processes; {} where there is no /proc."""
    found = {}
    try:
        entries = list(os.scandir("/proc"))
    except OSError:
        return {}
    for entry in entries:
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_bytes()
            except OSError:
                continue
            state, parent, group = stat[stat.rindex(b")") + 2 :].split()[:3]
            found[int(entry.name)] = Seen(int(parent), int(group), state in (b"Z", b"X"))
    return found


def below(roots: Collection[int], processes: dict[int, Seen]) -> set[int]:
    """The processes of `roots` that run, and all of their descendants that do."""
    found: set[int] = set()
    new = set(roots) & processes.keys()
    while new:
        found |= new
        new = {pid for pid, process in processes.items() if process.parent in new} - found
    return {pid for pid in found if not processes[pid].dead}


def adopted(own: Collection[int], processes: dict[int, Seen] | None = None) -> set[int]:
    """This process's children, and all of theirs, except for `own` and what these started."""
    processes = seen() if processes is None else processes
    return below({pid for pid in _children(processes) if pid not in own}, processes)


def found_none(own: Collection[int]) -> bool:
    """Whether this process surely has no children but `own`; cheap enough to ask twice a second, but late by once."""
    try:
        listed = [Path(task.path, "children").read_text(encoding="ascii") for task in os.scandir("/proc/self/task")]
    except OSError:
        return False  # not every kernel lists them
    return {int(pid) for one in listed for pid in one.split()} <= set(own)


def end(own: Collection[int], seconds: float = 5.0) -> int:
    """Kill all that were adopted until none is left; how many were found.

    Whoever presses Stop once more meanwhile does not stop this.

    Args:
        own: children that stay.
        seconds: after which it gives up.
    """
    until, found = time.monotonic() + seconds, set[int]()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        while time.monotonic() < until:
            processes = seen()
            for pid in _children(processes):
                if processes[pid].dead and pid not in own:
                    _reap(pid)
            if not (left := adopted(own, processes)):
                break
            found |= left
            _kill(left, processes, own)
            time.sleep(0.005)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return len(found)


def _children(processes: dict[int, Seen]) -> list[int]:
    return [pid for pid, process in processes.items() if process.parent == os.getpid()]


def _kill(left: Collection[int], processes: dict[int, Seen], own: Collection[int]) -> None:
    """Kill processes with their groups: one that starts the next and ends would be gone, but its group is not."""
    stay = {os.getpgrp()} | {processes[pid].group for pid in own if pid in processes}
    for group in {processes[pid].group for pid in left} - stay:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
