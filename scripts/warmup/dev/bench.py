"""`make bench`: figures of this machine, as ratios within one run. Nothing here is a timed test."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from warmup.content import header, pages
from warmup.dev import browser
from warmup.project import ROOT
from warmup.run.runner import Runner, run_plain

SYNTHETIC_PAGES = 250
CARDS = 500


def main() -> int:
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
    bench_runner()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = synthetic_site(Path(folder, "project"))
        bench_build(root, Path(folder, "site"))
        bench_reload(root)
        with served(Path(folder, "site")) as address:
            bench_bytes(address)
            bench_flashcards(address)
            bench_lighthouse(address, Path(folder))
    return 0


def bench_runner() -> None:
    """All plain snippets through the runner, against `python file` one after another; then the runner's own cost."""
    plain = []
    for path in sorted(pages.SNIPPETS.rglob("*.py")):
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
    differing = [path.name for path in plain if results[path].stdout != alone[path].stdout]
    print(
        f"Runner: {len(plain)} plain snippets in {together:.1f} s with two workers; "
        f"`python file` one after another {apart:.1f} s: {apart / together:.0f} times."
    )
    print(f"  outputs that differ: {', '.join(differing) or 'none'}")
    print(f"  an empty snippet: median {sorted(costs)[10] * 1000:.0f} ms, slowest {max(costs) * 1000:.0f} ms\n")


def synthetic_site(root: Path) -> Path:
    """A copy of the project whose real questions are repeated until there are SYNTHETIC_PAGES."""
    root.mkdir(parents=True)
    for name in ("docs", "snippets", "scripts", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "requirements-test.txt", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root / name)
    questions = pages.load(root / "docs").questions
    for number in range(len(questions), SYNTHETIC_PAGES):
        question = questions[number % len(questions)]
        slug = f"{question.slug}-{number}"
        question.path.with_name(f"{slug}.md").write_text(question.text, encoding="utf-8")
        index = question.path.with_name("index.md")
        text = index.read_text(encoding="utf-8")
        index.write_text(re.sub(r"(?m)^order: \[(.*)\]$", rf"order: [\1, {slug}]", text), encoding="utf-8")
        for diagram in question.path.parent.glob(f"{question.slug}.svg"):
            shutil.copy(diagram, diagram.with_name(f"{slug}.svg"))
    return root


def bench_build(root: Path, site: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(site)]
    begin = time.perf_counter()
    build = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(build.pid, 0)
    build.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if build.returncode:
        raise RuntimeError(f"the build of the synthetic site failed: run {' '.join(command[:4])} in {root}")
    count = len(list(site.rglob("index.html")))
    index = (site / "search/search_index.json").read_bytes()
    print(
        f"Build: {count} pages cold in {seconds:.1f} s: {count / seconds:.0f} pages a second, "
        f"{1000 * seconds / count:.0f} ms a page; peak memory {_megabytes(usage):.0f} MB."
    )
    print(f"  search index: {len(index) / 1000:.0f} kB, {len(gzip.compress(index, 9)) / 1000:.0f} kB compressed\n")


def _megabytes(usage: resource.struct_rusage) -> float:
    """Peak memory, of which Linux counts the kilobytes and macOS the bytes."""
    return usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def bench_reload(root: Path) -> None:
    """From saving a file to the new text being served, at SYNTHETIC_PAGES pages."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "--dirty", "--dev-addr", f"127.0.0.1:{port}"],
        cwd=root,
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
            print(f"Reload after editing {what}: median {sorted(times)[2]:.1f} s of five, slowest {max(times):.1f} s.")
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


class Compressed(http.server.SimpleHTTPRequestHandler):
    """Serves text compressed, as GitHub Pages does."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path.split("?")[0]))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        packed = path.suffix in (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".py")
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            body = gzip.compress(body, 9)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Compressed, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def bench_bytes(address: str) -> None:
    """Bytes over the wire before the reader does anything: first visit, then a second page with a warm cache."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=list(browser.ARGUMENTS))
        page = chromium.new_context().new_page()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        received: list[float] = []
        session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
        for what, path in (
            ("first question page", "junior/autograd/zero-grad/"),
            ("next question page", "junior/tensors/broadcasting/"),
            ("home, after them", ""),
        ):
            received.clear()
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            fetched = [size for size in received if size]
            print(f"Bytes, {what}: {sum(fetched) / 1000:.1f} kB compressed in {len(fetched)} requests.")
        chromium.close()
    print()


def opening_flashcards(page, address: str, cards: int = CARDS) -> float:
    """Seconds of scripting until the flashcards are open with synthetic cards, each answered before.

    Args:
        page: a Playwright page on the site, in a fresh context.
        address: the flashcards' address.
        cards: how many.
    """
    kind = {"at": 1, "last": 1, "due": 1, "stability": 2.5, "difficulty": 5, "reviews": 3}

    def many(route):
        """The site's own cards, repeated."""
        bank = route.fetch().json()
        copies = [{**bank["cards"][n % len(bank["cards"])], "id": f"card-{n}"} for n in range(cards)]
        route.fulfill(json={**bank, "cards": copies})

    page.route("**/cards.json", many)
    entries = {f"card:card-{n}": kind for n in range(cards)}
    page.evaluate(
        "text => localStorage.setItem('torch-warmup', text)", json.dumps({"version": 1, "since": 0, "entries": entries})
    )
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(address)
    page.locator(".tw-overview button").first.wait_for()
    page.wait_for_load_state("networkidle")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    return metrics["ScriptDuration"]


def bench_flashcards(address: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=list(browser.ARGUMENTS))
        times = []
        for _ in range(5):
            page = chromium.new_context(service_workers="block").new_page()
            page.goto(address + "404.html")
            times.append(opening_flashcards(page, address + "practice/flashcards/"))
        chromium.close()
    print(
        f"Flashcards with {CARDS} cards: {1000 * sorted(times)[2]:.0f} ms of scripting until they are open, "
        f"slowest of five {1000 * max(times):.0f} ms.\n"
    )


def bench_lighthouse(address: str, folder: Path) -> None:
    if not shutil.which("npx"):
        print("Lighthouse: not measured, npm is not installed.")
        return
    for what, path in (("home", ""), ("question", "junior/autograd/zero-grad/")):
        for preset in ("desktop", "mobile"):
            report = folder / f"{what}-{preset}.json"
            done = subprocess.run(
                [
                    "npx",
                    "--yes",
                    "lighthouse@13",
                    address + path,
                    "--quiet",
                    "--output=json",
                    f"--output-path={report}",
                    f"--chrome-flags=--headless {' '.join(browser.ARGUMENTS)}",
                    *(["--preset=desktop"] if preset == "desktop" else []),
                ],
                env={**os.environ, "CHROME_PATH": browser.find() or ""},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode or not report.exists():
                print(f"Lighthouse, {what}, {preset}: it failed: {done.stderr.strip()[-300:]}")
                continue
            scores = json.loads(report.read_text(encoding="utf-8"))["categories"]
            listed = ", ".join(f"{c['title'].lower()} {100 * c['score']:.0f}" for c in scores.values())
            print(f"Lighthouse, {what}, {preset}: {listed}")
