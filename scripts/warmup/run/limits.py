"""What a program may take of a machine on which somebody works."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from warmup.run import orphans

LOOK = 0.2  # seconds between two looks at what a program takes


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
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return cls(memory=whole * 3 // 4, processes=64, file=4 * 2**30)

    def reached(self, leader: int, own: Collection[int]) -> str:
        """The status that ends a program which has reached a limit, or "".

        Args:
            leader: its first process.
            own: children of this process that are not the program's.
        """
        parent_of = orphans.parents()
        found = orphans.below({leader}, parent_of) | (orphans.adopted(own) if orphans.adopting() else set())
        if len(found) > self.processes:
            return "process-limit"
        return "memory-limit" if sum(map(_held, found)) > self.memory else ""


def _held(pid: int) -> int:
    """Bytes of memory that a process does not share with a file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0  # it has just ended
    sizes = (line.split() for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
    return sum(int(size) * 1024 for _, size, _ in sizes)
