"""What judges and checks share: run a reader's script in a process with a limit.

The limit counts processor time, which is the same on a busy machine. The runner of
snippets counts it with this file, too.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

# Who sleeps uses no processor time. So the clock ends it, after this many times the
# limit; and whatever runs where nothing tells the processor time.
CLOCK = 5
UNITS = (1, 60, 3600, 86400)  # seconds in what `ps` prints, from the last


def limited(command: list[str], seconds: float) -> tuple[str, bool]:
    """How a command ended that got so many seconds of processor time, as a clause.

    Also whether it was the clock that ended it, which says nothing of the command.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name == "posix",
    )
    used, end = 0.0, time.monotonic() + CLOCK * seconds
    try:
        while (wait := end - time.monotonic()) > 0 and used < seconds:
            if (now := cpu_seconds(process.pid)) is not None:
                used = max(used, now)
                # With all processors at work it is not there sooner.
                left = (seconds - used) / (os.cpu_count() or 1)
                wait = min(wait, max(0.05, left))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(wait)
                break
    finally:
        ended = process.poll()
        _kill(process)
    if ended is not None:
        died = f"the process died with signal {-ended}"
        return died if ended < 0 else "it ended the process", False
    if used >= seconds:
        how = f"it used {seconds:g} seconds of processor time and was stopped"
        return how, False
    return (
        f"it was stopped after {CLOCK * seconds:g} seconds, your machine may be "
        "busy; or it waits for what never comes",
        True,
    )


def _kill(process: subprocess.Popen) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, 9)  # and all that it started
        else:
            process.kill()
    process.wait()


def cpu_seconds(leader: int) -> float | None:
    """Processor time of the session that a process leads; None if nothing tells it.

    It counts all its processes, and on Linux those that ended and were waited for.
    """
    if sys.platform == "darwin":
        command = ["ps", "-A", "-o", "pgid=", "-o", "time="]
        try:
            listed = subprocess.check_output(command, text=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        seconds = 0.0
        for line in listed.splitlines():
            group, used = line.split()
            if group == str(leader):  # [[days-]hours:]minutes:seconds
                parts = used.replace("-", ":").split(":")
                for part, unit in zip(reversed(parts), UNITS, strict=False):
                    seconds += float(part) * unit
        return seconds
    if not Path("/proc/self/stat").exists():
        return None
    ticks = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = Path(entry.path, "stat").read_bytes()
                fields = stat[stat.rindex(b")") + 2 :].split()
                if int(fields[3]) == leader:  # the session; 11 to 14 are times
                    ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
