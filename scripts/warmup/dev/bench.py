"""`make bench`: figures of this machine, as ratios within one run. Nothing here is a timed test."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warmup.content import header
from warmup.dev import bench_build, bench_visits, synthetic
from warmup.dev.serving import served
from warmup.project import SNIPPETS
from warmup.run.runner import Runner
from warmup.run.server import ENVIRONMENT

SIZES = (60, 300)


def main() -> int:
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    bench_runner()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        roots = [synthetic.grown(Path(folder, str(count)), count) for count in SIZES]
        bench_build.builds(roots)
        bench_build.checks(roots)
        bench_build.reload(roots[-1])
        for root in roots:
            with served(root / "site", compress=True) as address:
                bench_visits.transfers(address, root.name)
        with served(roots[-1] / "site", compress=True) as address:
            bench_visits.flashcards(address)
            bench_visits.lighthouse(address, Path(folder))
    return 0


def bench_runner() -> None:
    """All plain snippets through the runner, against `python file` one after another; then the runner's own cost."""
    plain = []
    for path in sorted(SNIPPETS.rglob("*.py")):
        found = header.parse(path.read_text(encoding="utf-8"), path)
        if not found.needs and not found.slow and found.output == "exact":
            plain.append(path)
    with Runner() as runner, tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.py")
        empty.write_text("pass\n")
        runner.run(empty)  # the server has imported torch when this returns
        begin = time.perf_counter()
        results = {result.path: result for result in runner.run_many(plain, workers=2)}
        together = time.perf_counter() - begin
        costs = []
        for _ in range(20):
            begin = time.perf_counter()
            runner.run(empty)
            costs.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    alone = {path: run_plain(path) for path in plain}
    apart = time.perf_counter() - begin
    differing = [path.name for path in plain if results[path].stdout != alone[path]]
    print(
        f"Runner: {len(plain)} plain snippets in {together:.1f} s with two workers; "
        f"`python file` one after another {apart:.1f} s: {apart / together:.0f} times."
    )
    print(f"  outputs that differ: {', '.join(differing) or 'none'}")
    print(f"  an empty snippet: median {sorted(costs)[10] * 1000:.0f} ms, slowest {max(costs) * 1000:.0f} ms\n")


def run_plain(path: Path) -> str:
    """What `python path` prints in an empty folder, in the environment that the runner gives it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(path)],
            cwd=folder,
            env={**os.environ, **ENVIRONMENT, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=header.SLOW_TIMEOUT,
            check=False,
        )
    return done.stdout
