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


def parents() -> dict[int, int]:
    """The parent of each process that runs (zombies do not); {} where there is no /proc."""
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
            state, parent = stat[stat.rindex(b")") + 2 :].split()[:2]
            if state not in b"ZX":
                found[int(entry.name)] = int(parent)
    return found


def below(roots: Collection[int], parent_of: dict[int, int]) -> set[int]:
    """The processes of `roots` that run, and all of their descendants."""
    found: set[int] = set()
    new = {pid for pid in roots if pid in parent_of}
    while new:
        found |= new
        new = {pid for pid, parent in parent_of.items() if parent in new} - found
    return found


def adopted(own: Collection[int]) -> set[int]:
    """This process's children, and all of theirs, except for `own` and what these started."""
    parent_of = parents()
    return below({pid for pid, parent in parent_of.items() if parent == os.getpid()} - set(own), parent_of)


def end(own: Collection[int], seconds: float = 5.0) -> int:
    """Kill all that were adopted until none is left; how many were found.

    Args:
        own: children that stay.
        seconds: after which it gives up.
    """
    until, found = time.monotonic() + seconds, set[int]()
    while time.monotonic() < until and (left := adopted(own)):
        found |= left
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for pid in left:
            _reap(pid)
        time.sleep(0.005)
    return len(found)


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):  # its parent is another one, whose end makes it ours
        os.waitpid(pid, os.WNOHANG)
