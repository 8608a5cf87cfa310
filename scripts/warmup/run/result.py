"""What one run of a snippet gave."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """What one run of a snippet gave.

    status: ok, failed, timeout, late, signal, output-limit, memory-limit, process-limit, left-children or skipped.
    A timeout is of processor time; what is late was ended by the clock, which on a busy machine may be no fault of
    its own.
    code: the exit code, None where there is none. signal: the name of the signal that ended it, or "".
    seconds: wall time of the process. message: what happened and what to do, in one sentence; "" if ok.
    drawing: the SVG of what `plt.show()` showed, "" where nothing was drawn.
    torch, device: what the snippet's process reported at its end; "" if it did not get that far.
    """

    path: Path
    status: str
    code: int | None = None
    signal: str = ""
    stdout: str = ""
    stderr: str = ""
    drawing: str = ""
    seconds: float = 0.0
    message: str = ""
    torch: str = ""
    device: str = ""


def shown(path: Path) -> str:
    """The path as a reader of the terminal would type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
