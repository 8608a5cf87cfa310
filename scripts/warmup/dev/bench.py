"""`make bench`: what pages weigh, and figures of this machine, as ratios within one run. No test is timed here."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warmup.content import header, sources
from warmup.dev import bench_build, bench_sizes, bench_visits, synthetic
from warmup.dev.serving import served
from warmup.kinds import levels
from warmup.project import SNIPPETS
from warmup.run.runner import Runner
from warmup.run.server import ENVIRONMENT

# As many questions as the limits of weight are promised for.
GROWN = 300
# What can be measured by itself, in this order: the first is what a change of a page is most likely to break.
PARTS = ("sizes", "build", "visits", "runner")


def main(part: str | None = None) -> int:
    """Measure one of ``PARTS``, or all.

    Returns:
        1 if a page or a visit is over its limit.

    Raises:
        RuntimeError: there is no such part.
    """
    if part and part not in PARTS:
        raise RuntimeError(f"There is no part {part!r} to measure, but {', '.join(PARTS)}.")
    wanted = [part] if part else list(PARTS)
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    heavy: list[str] = []
    if wanted != ["runner"]:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            heavy = bench_site(Path(folder), wanted)
    if "runner" in wanted:
        bench_runner()
    for sentence in heavy:
        print(f"Over its limit: {sentence}")
    return 1 if heavy else 0


def bench_site(folder: Path, wanted: list[str]) -> list[str]:
    """What depends on the number of questions: those that there are, and ``GROWN``.

    Returns:
        What is over its limit, as sentences.
    """
    count = len(levels.load().questions)
    counts = (count, max(count, GROWN))
    roots = [synthetic.grown(Path(folder, str(number)), number) for number in dict.fromkeys(counts)]
    bench_build.builds(roots)
    heavy = []
    if "sizes" in wanted:
        heavy += bench_sizes.report(roots[0] / "site", roots[-1] / "site", counts)
        for root in roots:
            with served(root / "site", compress=True) as address:
                heavy += bench_visits.transfers(address, root.name)
    if "build" in wanted:
        bench_build.checks(roots)
        bench_build.reload(roots[-1])
    if "visits" in wanted:
        with served(roots[-1] / "site", compress=True) as address:
            bench_visits.flashcards(address)
            bench_visits.lighthouse(address, folder)
    return heavy


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
            [sys.executable, str(sources.place(path, Path(folder, "program")))],
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
