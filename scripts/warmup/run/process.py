"""One process of a snippet: reads what it prints, kills it when it must end, and says how it ended."""

from __future__ import annotations

import json
import math
import multiprocessing.context
import multiprocessing.process
import os
import re
import runpy
import selectors
import signal
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from warmup.content.outputs import WATCHING
from warmup.project import SNIPPETS
from warmup.run import orphans
from warmup.run.drawing import for_a_page
from warmup.run.limits import LOOK, Limits
from warmup.run.result import Result, shown
from warmup.run.server import ForkServer

REPORT_LIMIT = 2**20  # bytes of a drawing, or of what a program reports at its end
_WORDS = re.compile(r"[\w.+() -]{1,200}", re.ASCII)
_KILL_WAIT = 5.0  # seconds until a killed process counts as gone, whatever the kernel says
# The file that judges and checks watch with: they must run where there are no tools.
_WATCHING = runpy.run_path(str(SNIPPETS / WATCHING))
CLOCK: int = _WATCHING["CLOCK"]
cpu_seconds: Callable[[int], float | None] = _WATCHING["cpu_seconds"]


OnOutput = Callable[[str, bytes], None]  # "stdout" or "stderr", and what was printed there


class Process:
    """One process, from its pipes to its result; its methods are called in the order in which they stand here.

    path: the snippet. timeout: seconds of processor time, its children's too. limit: bytes kept of each stream.
    grace: seconds that processes which it started may outlive it. on_output: gets what is printed when it is printed.
    limits: what it may take of this machine.
    """

    def __init__(
        self,
        path: Path,
        timeout: float,
        limit: int,
        grace: float,
        on_output: OnOutput | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.path, self.timeout, self.limit, self.grace, self.limits = path, timeout, limit, grace, limits
        self._on_output = on_output or (lambda stream, data: None)
        self.status = ""
        self.code: int | None = None
        self.left = 0
        self.escaped = False
        self.pid = 0
        self.seconds = 0.0
        self.used = 0.0  # seconds of processor time, when they were last counted
        self._selector = selectors.DefaultSelector()

    @contextmanager
    def pipes(self, context: multiprocessing.context.BaseContext) -> Iterator[tuple[Connection, Connection]]:
        """Writing ends for stdout and stderr; everything is closed at the end."""
        (self._out, out), (self._err, err) = context.Pipe(duplex=False), context.Pipe(duplex=False)
        self._buffers = {self._out: bytearray(), self._err: bytearray()}
        try:
            yield out, err
        finally:
            self._selector.close()
            for end in (self._out, self._err, out, err):
                end.close()

    def start(self, process: multiprocessing.process.BaseProcess) -> None:
        self._process = process
        process.start()
        assert process.pid is not None  # it has been started
        self.pid = process.pid
        self._started = time.monotonic()

    def watch(self) -> None:
        """Return when the process, and the processes that it started, are gone."""
        for end, buffer in self._buffers.items():
            self._selector.register(end, selectors.EVENT_READ, buffer)
        self._selector.register(self._process.sentinel, selectors.EVENT_READ)
        due, gone = self._started, math.inf
        while (now := time.monotonic()) < gone:
            if not self.status and now >= due:
                due = now + self._count(now)
            if self.status:
                due = gone = min(gone, now + _KILL_WAIT)
            if self._read(max(0.0, due - now)):
                self._outlive()
                return

    def _count(self, now: float) -> float:
        """End the process if it has reached a limit; else the seconds until it can reach one."""
        left = self._started + CLOCK * self.timeout - now
        if (used := cpu_seconds(self.pid)) is not None:
            self.used = max(self.used, used)
            if self.used >= self.timeout:
                self._end("timeout")
            # With all processors at work it is not there sooner.
            left = min(left, max(0.05, (self.timeout - self.used) / (os.cpu_count() or 1)))
        if left <= 0:
            self._end("late")
        if not self.limits:
            return left
        if reached := self.limits.reached(self.pid, ForkServer.pids()):
            self._end(reached)
        return min(left, LOOK)

    def _outlive(self) -> None:
        """The process has ended: wait for the ones that it started, kill them after the grace."""
        until = time.monotonic() + self.grace
        while (alive := living(self.pid) + self._adopted()) or self._selector.get_map():
            if time.monotonic() >= until:
                self.left, self.escaped = alive or 1, not alive
                kill(self.pid)
                self._read(0)
                return
            self._read(0.01)

    def _adopted(self) -> int:
        """How many processes it has started that left its group and lost their parent, where this can be known."""
        return len(orphans.adopted(ForkServer.pids())) if orphans.adopting() else 0

    def _read(self, wait: float) -> bool:
        """Wait at most `wait` seconds and take what is there; True if the process has ended."""
        ended = False
        for key, _ in self._selector.select(wait):
            if key.fileobj == self._process.sentinel:
                self.seconds = time.monotonic() - self._started
                self._selector.unregister(key.fileobj)
                ended = True
                continue
            chunk = os.read(key.fd, 65536)
            if not chunk:
                self._selector.unregister(key.fileobj)
            buffer: bytearray = key.data
            stream = "stdout" if key.fileobj is self._out else "stderr"
            self._on_output(stream, chunk[: max(0, self.limit - len(buffer))])
            buffer += chunk
            if len(buffer) > self.limit:
                del buffer[self.limit :]
                self._end("output-limit")
        return ended

    def _end(self, status: str) -> None:
        self.status = self.status or status
        self.seconds = time.monotonic() - self._started
        kill(self.pid)

    def collect_code(self) -> None:
        self.code = self._process.exitcode
        if self.code is not None:
            self._process.close()

    def result(self, report: Path, drawn: Path) -> Result:
        out, err = (bytes(self._buffers[end]).decode("utf-8", "replace") for end in (self._out, self._err))
        told = _told(_written(report))
        name = "SIGKILL" if self.status else ""
        if not self.status and self.code is not None and self.code < 0:
            self.status, name = "signal", signal_name(-self.code)
        if self.code == 255 and not any(told.values()):  # all that multiprocessing says if the server was killed
            self.status, name = self.status or "signal", "SIGKILL"
        if not self.status:
            self.status = "failed" if self.code else "left-children" if self.left else "ok"
        return Result(
            path=self.path,
            status=self.status,
            code=None if name or self.code is None else self.code,
            signal=name,
            stdout=out,
            stderr=err,
            drawing=for_a_page(svg) if (svg := _written(drawn)) else "",
            seconds=self.seconds,
            message=self._message(name, err),
            torch=told["torch"],
            device=told["device"],
        )

    def _message(self, name: str, err: str) -> str:
        path = shown(self.path)
        if self.status == "ok":
            return ""
        if self.status == "timeout":
            return (
                f"{path} still ran after {self.timeout:g} s of processor time and was killed: make it faster, "
                "or give its header a reason in `slow` or a `timeout`"
            )
        if self.status == "late":
            return (
                f"{path} was stopped after {CLOCK * self.timeout:g} s, your machine may be busy: run it again, alone; "
                "or it waits for what never comes"
            )
        if self.status in ("memory-limit", "process-limit"):
            return f"{path} took more of this machine than a program may ({self.status}) and was killed"
        if self.status == "output-limit":
            return f"{path} printed more than {self.limit} bytes and was killed: print less"
        if self.status == "signal":
            if name == "SIGKILL":
                return f"{path} was killed (SIGKILL), perhaps for want of memory: run it again, alone"
            assert self.code is not None  # its negative is the number of the signal
            what = signal.strsignal(-self.code) or name
            return f"{path} died by {name} ({what}): find the line with `python -X faulthandler {path}`"
        left = "1 process" if self.left == 1 else f"{self.left} processes"
        if self.status == "left-children":
            fate = "in a session of its own, not killed" if self.escaped else "killed"
            return f"{path} left {left} running {self.grace:g} s after its end ({fate}): join what it starts"
        last = next((line.strip() for line in reversed(err.splitlines()) if line.strip()), "nothing on stderr")
        also = f", and left {left} running" if self.left else ""
        return f"{path} exited with code {self.code}{also} ({last}): run `python {path}` to see it"


def _told(report: str) -> dict[str, str]:
    """What a report says of torch and the device; "" for what it does not say, or says in no words."""
    try:
        told = json.loads(report)
    except (ValueError, RecursionError):
        told = None
    words = told if isinstance(told, dict) else {}
    return {
        name: word if isinstance(word := words.get(name), str) and _WORDS.fullmatch(word) else ""
        for name in ("torch", "device")
    }


def _written(file: Path) -> str:
    """What a program left in a file; "" if it is none, such as a pipe that nobody writes to, or far too large."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with open(descriptor, "rb") as opened:
            known = os.fstat(descriptor)
            if not stat.S_ISREG(known.st_mode) or known.st_size > REPORT_LIMIT:
                return ""
            return opened.read(REPORT_LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""


def kill(group: int) -> None:
    """SIGKILL to a process group, or to its leader if that had no time yet to found the group."""
    for send in (os.killpg, os.kill):
        try:
            send(group, signal.SIGKILL)
            return
        except (ProcessLookupError, PermissionError):
            continue


def living(group: int) -> int:
    """How many processes of a group live (zombies do not); without /proc 1 stands for any number."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return 0
    processes = orphans.seen()
    return sum(one.group == group and not one.dead for one in processes.values()) if processes else 1


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
