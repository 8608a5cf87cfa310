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

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_GET_CHILD_SUBREAPER = 37
_QUIET = 2  # looks in a row that must find nobody: one can miss whoever is born in the middle of it
_PAUSE = 0.02  # seconds between them


def adopt() -> bool:
    """Become the parent of descendants whose parent ends. False where the system has no such thing."""
    return sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def adopting() -> bool:
    """Whether this process has called `adopt`."""
    if sys.platform != "linux":
        return False
    flag = ctypes.c_int(0)
    return ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(flag), 0, 0, 0) == 0 and flag.value == 1


def follow_parent(number: signal.Signals) -> None:
    """Have the system send this process a signal when its parent ends, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


@dataclass(frozen=True)
class Seen:
    """A process, as /proc tells of it; dead: it has ended, and its parent has not asked how."""

    parent: int
    group: int
    dead: bool


def seen() -> dict[int, Seen]:
    """All processes; {} where there is no /proc."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    return _those(pids)


def _those(pids: Collection[int]) -> dict[int, Seen]:
    found = {}
    for pid in pids:
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            continue
        state, parent, group = stat[stat.rindex(b")") + 2 :].split()[:3]
        found[pid] = Seen(int(parent), int(group), state in (b"Z", b"X"))
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


def bury(own: Collection[int], processes: dict[int, Seen]) -> int:
    """Take note of adopted ones that have ended, which would keep their numbers for ever; how many there were."""
    dead = [pid for pid in _children(processes) if processes[pid].dead and pid not in own]
    for pid in dead:
        _reap(pid)
    return len(dead)


def found_none(own: Collection[int]) -> bool:
    """Whether this process surely has no children but `own`; cheap enough to ask twice a second, but late by once."""
    listed = _listed()
    return listed is not None and listed <= set(own)


def _listed() -> set[int] | None:
    """The children of this process as the kernel lists them, in a hundredth of the time of `seen`; not every one does.

    Whoever is born or dies meanwhile may be missed.
    """
    try:
        listed = [Path(task.path, "children").read_text(encoding="ascii") for task in os.scandir("/proc/self/task")]
    except OSError:
        return None
    return {int(pid) for one in listed for pid in one.split()}


def end(own: Collection[int], seconds: float = 5.0) -> int:
    """Kill all that were adopted until none is left; how many were found.

    A program whose processes each start the next one and end is gone whenever it is looked for by its number. So each
    look takes as little time as it can, the groups of those that have ended are killed too, and one look that finds
    nobody proves nothing. Whoever presses Stop once more meanwhile does not stop this.

    Args:
        own: children that stay.
        seconds: after which it gives up.
    """
    until, found, quiet = time.monotonic() + seconds, set[int](), 0
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        while quiet < _QUIET and time.monotonic() < until:
            left = _orphans(own, thorough=quiet > 0)
            if left:
                quiet = 0
                _kill(left, own)
                for pid in left:
                    _reap(pid)
                if left.keys() <= found:  # these only need time to end
                    time.sleep(_PAUSE / 10)
                found |= left.keys()
                continue
            quiet += 1
            if quiet < _QUIET:
                time.sleep(_PAUSE)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return len(found)


def _orphans(own: Collection[int], *, thorough: bool) -> dict[int, Seen]:
    """Children that are not `own`, the dead too. Theirs become ours when they end."""
    listed = None if thorough else _listed()
    processes = seen() if listed is None else _those(listed - set(own))
    return {pid: processes[pid] for pid in _children(processes) if pid not in own}


def _children(processes: dict[int, Seen]) -> list[int]:
    return [pid for pid, process in processes.items() if process.parent == os.getpid()]


def _kill(left: dict[int, Seen], own: Collection[int]) -> None:
    """Kill processes with their groups: one that starts the next and ends would be gone, but its group is not."""
    stay = {os.getpgrp()} | {process.group for process in _those(own).values()}
    for group in {process.group for process in left.values()} - stay:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid, process in left.items():
        if not process.dead:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
