"""What a visit takes: bytes over the wire, scripting, and Lighthouse's scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from warmup.dev import bench_sizes, browser

CARDS = 500


# What is opened, and whether by a reader who has been on the site before, in this order.
VISITS = (
    ("first question page", "junior/autograd/zero-grad/", False),
    ("next question page", "junior/tensors/broadcasting/", True),
    ("home, after them", "", True),
    ("flashcards", "practice/flashcards/", False),
    ("mock interview", "practice/mock/", False),
    ("predict the output", "practice/predict/", False),
    ("interviewer kit", "practice/interview-kit/", False),
    ("all questions", "questions/", False),
    ("plan", "plan/", False),
    ("myths", "about/myths/", False),
)


def transfers(address: str, questions: str) -> list[str]:
    """Bytes over the wire before the reader does anything.

    Args:
        address: the site's.
        questions: how many it has.

    Returns:
        Visits over their limit, as sentences; the data that a practice mode loads by itself does not count.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.ensure(), args=list(browser.ARGUMENTS))
        received: list[tuple[str, float]] = []
        heavy: list[str] = []
        for what, path, known in VISITS:
            if not known:
                page = chromium.new_context(service_workers="block").new_page()
                _watch(page, received)
            received.clear()
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            fetched = [size for _, size in received if size]
            data = sum(size for url, size in received if path.startswith("practice/") and url.endswith(".json"))
            print(
                f"Bytes of {questions} questions, {what}: {sum(fetched) / 1000:.1f} kB compressed "
                f"in {len(fetched)} requests{f', {data / 1000:.1f} kB of them data' if data else ''}."
            )
            limit = bench_sizes.PAGE if known else bench_sizes.FIRST_VISIT
            heavy += bench_sizes.too_heavy({f"With {questions} questions, {what}": round(sum(fetched) - data)}, limit)
        chromium.close()
    print()
    return heavy


def _watch(page, received: list[tuple[str, float]]) -> None:
    """Put the address and the bytes of each answer that the page gets from the network into ``received``."""
    urls = {}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.responseReceived", lambda event: urls.update({event["requestId"]: event["response"]["url"]}))
    session.on(
        "Network.loadingFinished",
        lambda event: received.append((urls.get(event["requestId"], ""), event["encodedDataLength"])),
    )


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
        route.fulfill(json={**bank, "cards": copies, "exercises": []})

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


def flashcards(address: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.ensure(), args=list(browser.ARGUMENTS))
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


def lighthouse(address: str, folder: Path) -> None:
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
                env={**os.environ, "CHROME_PATH": browser.ensure()},
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
