"""What a program may take of a machine on which somebody works."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from warmup.run import orphans

LOOK = 0.5  # seconds between two looks at what a program takes
CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of either version


@dataclass(frozen=True)
class Limits:
    """Of one program, with all processes that it starts; they are known on Linux only, but for `file`.

    memory: bytes that they hold of their own. processes: how many. file: bytes of one file.
    """

    memory: int
    processes: int
    file: int

    @classmethod
    def of_this_machine(cls) -> Limits:
        """Three quarters of its memory, 64 processes, and files of 4 GiB."""
        return cls(memory=_memory() * 3 // 4, processes=64, file=4 * 2**30)

    def reached(self, leader: int, own: Collection[int]) -> str:
        """The status that ends a program which has reached a limit, or "".

        Args:
            leader: its first process.
            own: children of this process that are not the program's.
        """
        processes = orphans.seen()
        found = orphans.below({leader}, processes)
        ended = 0
        if orphans.adopting():
            found |= orphans.adopted(own, processes)
            ended = orphans.bury(own, processes)  # since the last look
        if len(found) + ended > self.processes:
            return "process-limit"
        # What processes that were forked still share would count once for each; to ask how much that is takes longer.
        over = sum(map(_held, found)) > self.memory and sum(map(_share, found)) > self.memory
        return "memory-limit" if over else ""


def _memory() -> int:
    """Bytes of memory of this machine, or of the container that this process is in."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in CONTAINER:
        with contextlib.suppress(OSError, ValueError):  # there is none, or it says "max"
            whole = min(whole, int(Path(file).read_text(encoding="ascii")))
    return whole


def _held(pid: int) -> int:
    """Bytes of memory that a process holds and that are no file's, shared ones too."""
    return _sum(Path(f"/proc/{pid}/status"), ("RssAnon:", "RssShmem:", "VmSwap:"))


def _share(pid: int) -> int:
    """The same, with its share of what several processes hold; as much as `_held` where the system cannot tell."""
    return _sum(Path(f"/proc/{pid}/smaps_rollup"), ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")) or _held(pid)


def _sum(file: Path, names: tuple[str, ...]) -> int:
    try:
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0  # it has just ended
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(names))
