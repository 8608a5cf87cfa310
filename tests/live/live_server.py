"""A server that `make live` would start, and what the tests ask it."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from warmup.project import ROOT

KERNELS = "/jupyter/api/kernels"


def ask(live, path: str, method: str = "GET", body: str | None = None, **headers: str) -> http.client.HTTPResponse:
    """One request; underscores in the names of headers are hyphens."""
    connection = http.client.HTTPConnection("127.0.0.1", live.port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    response.text = response.read().decode("utf-8", "replace")
    connection.close()
    return response


def exchange(live, key: str, **headers: str) -> http.client.HTTPResponse:
    """What a page gets that has a key; without an origin it is no page."""
    return ask(live, "/jupyter/key", "POST", key, **{"Origin": live.address, **headers})


def bearer(live) -> dict[str, str]:
    return {"Authorization": f"token {live.token}"}


START = 120.0  # seconds that a busy machine may need


@dataclass
class Live:
    """A server that runs: its process, its address without a slash at the end, and all that it printed."""

    process: subprocess.Popen
    address: str
    log: Path

    def __post_init__(self) -> None:
        self.first = self.printed()[0]
        response = exchange(self, self.key())
        assert response.status == 200, response.text
        self.token = json.loads(response.text)["token"]

    def printed(self) -> list[str]:
        """The keys of all addresses that it has printed."""
        return re.findall(r"/#key=([\w-]+)\n", self.log.read_text(encoding="utf-8"))

    def key(self) -> str:
        """A new key, as a reader gets one who presses Enter."""
        before = len(self.printed())
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        until(lambda: len(self.printed()) > before)
        return self.printed()[before]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def descendants(self) -> set[int]:
        """The processes that it started, and those that these started."""
        return descendants(self.process.pid)


def descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_bytes()
            except OSError:
                continue
            state, parent = stat[stat.rindex(b")") + 2 :].split()[:2]
            if state not in b"ZX":
                parents[int(entry.name)] = int(parent)
    found, new = set(), {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return found


def alive(pids: set[int]) -> set[int]:
    """Those that are still there; one that has ended and that nobody has asked for is not."""
    return {pid for pid in pids if Path(f"/proc/{pid}").exists() and b"Z" not in state_of(pid)}


def state_of(pid: int) -> bytes:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return b"Z"
    return stat[stat.rindex(b")") + 2 :].split()[0]


def until(condition: Callable[[], object], seconds: float = 30.0) -> float:
    """Wait until the condition holds; how long that took.

    Raises:
        AssertionError: it does not hold after so many seconds.
    """
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - begun


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def command(site: Path, port: int | None = None) -> list[str]:
    return [sys.executable, "-P", "-m", "warmup", "live", str(site), "--port", str(port or free_port())]


def launch(site: Path, log: Path, cwd: str | Path = ROOT, words: list[str] | None = None, **environment: str) -> Live:
    """Start a server, and wait until it has printed its address.

    words: the command, instead of the one that `make live` has.
    """
    with log.open("wb") as file:
        process = subprocess.Popen(
            words or command(site),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), **environment},
        )
    until(lambda: b"Ctrl+C ends it" in log.read_bytes() or process.poll() is not None, START)
    said = log.read_text(encoding="utf-8")
    match = re.search(r"(http://127\.0\.0\.1:\d+)/#key=[\w-]+\n", said)
    assert match, said
    return Live(process, match[1], log)


def end(live: Live) -> None:
    left = live.descendants()
    live.process.terminate()
    live.process.wait(30)
    if live.process.stdin:
        live.process.stdin.close()
    until(lambda: not alive(left))
