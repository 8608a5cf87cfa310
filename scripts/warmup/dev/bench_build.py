"""What grows with the number of pages: the build, the checks, and the wait after an edit."""

from __future__ import annotations

import contextlib
import gzip
import os
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple


class Spent(NamedTuple):
    """What a program took: seconds on the clock and of all processors, and at most so much memory, in megabytes."""

    seconds: float
    cpu: float
    memory: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s ({self.cpu:.1f} s of CPU)"


def spent(command: list[str], root: Path) -> Spent:
    """Run ``python -m command`` with the tools of the project at ``root``, in which it is started.

    Raises:
        RuntimeError: it failed.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "scripts")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python -m {' '.join(command)} failed in a copy of the project, {root.name} questions.")
    return Spent(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, megabytes(usage))


def megabytes(usage: resource.struct_rusage) -> float:
    """Peak memory, of which Linux counts the kilobytes and macOS the bytes."""
    return usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def builds(roots: list[Path]) -> None:
    """Build each project into its folder ``site``, with nothing highlighted before."""
    costs = []
    for root in roots:
        took = spent(["mkdocs", "build", "--quiet", "--site-dir", str(root / "site")], root)
        count = len(list((root / "site").rglob("index.html")))
        costs.append(Spent(took.seconds / count, took.cpu / count, took.memory))
        first, *said = [
            len(gzip.compress(path.read_bytes(), 9)) / 1000
            for path in sorted((root / "site/search").iterdir(), reverse=True)
        ]
        print(
            f"Build of {root.name} questions, cold: {count} pages in {took}, {count / took.seconds:.0f} pages a second "
            f"({count / took.cpu:.0f} a second of CPU); peak memory {took.memory:.0f} MB.\n"
            f"  search: {first:.0f} kB compressed before the first results, {sum(said):.0f} kB after"
        )
    print(f"  a page costs {_ratio(costs)} with {roots[-1].name} questions as with {roots[0].name}\n")


def checks(roots: list[Path]) -> None:
    """`python -m warmup check` in each project."""
    costs = []
    for root in roots:
        took = spent(["warmup", "check"], root)
        costs.append(Spent(took.seconds / int(root.name), took.cpu / int(root.name), took.memory))
        print(f"Check of {root.name} questions: {took}")
    print(f"  a question costs {_ratio(costs)} with {roots[-1].name} questions as with {roots[0].name}\n")


def _ratio(costs: list[Spent]) -> str:
    first, last = costs[0], costs[-1]
    return f"{last.seconds / first.seconds:.2f} times as much time ({last.cpu / first.cpu:.2f} of CPU)"


def reload(root: Path) -> None:
    """From saving a file to the new text being served."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "--dirty", "--dev-addr", f"127.0.0.1:{port}"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "scripts")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}/junior/autograd/zero-grad/"
    try:
        _until(address, "zero_grad", 120)
        for what, path in (
            ("a page", root / "docs/junior/autograd/zero-grad.md"),
            ("a snippet", root / "snippets/junior/autograd/zero_grad.py"),
        ):
            times = []
            for attempt in range(5):
                time.sleep(1)
                mark = f"bench{what[-4:]}{attempt}"
                text = path.read_text(encoding="utf-8")
                changed = text.replace("## Why", f"## Why\n\n{mark}\n") if path.suffix == ".md" else f"# {mark}\n{text}"
                begin = time.perf_counter()
                path.write_text(changed, encoding="utf-8")
                _until(address, mark, 60)
                times.append(time.perf_counter() - begin)
            print(
                f"Reload of {root.name} questions after editing {what}: median {sorted(times)[2]:.1f} s of five, "
                f"slowest {max(times):.1f} s."
            )
    finally:
        server.terminate()
        server.wait(timeout=20)
    print()


def _until(address: str, text: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as response:
            if text in response.read().decode():
                return
        time.sleep(0.02)
    raise RuntimeError(f"{address} did not show {text!r} within {seconds:.0f} s")
