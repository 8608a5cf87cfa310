"""A release of the site behind a network that may fail, and what a reader does with it."""

from __future__ import annotations

import hashlib
import http.server
import json
import mimetypes
import re
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import expect

from warmup.exports import offline
from warmup.testing import PREFIX

PATIENCE = b"PATIENCE = 3_000"  # as published
KEPT = "This browser now has all practice pages"


def manifest(folder: Path) -> dict:
    """What a release says of itself: made anew, it would take most of a test's time."""
    return json.loads((folder / offline.MANIFEST).read_text(encoding="utf-8"))


class Host:
    """Serves one release of the site as GitHub Pages does: a browser may show a file for ten minutes without asking.

    Attributes:
        folder: the built site.
        down: there is no network; each connection is closed without an answer.
        held: where an address ends in this, its answer waits for ``resume``.
        answered: the addresses for which there was an answer since ``hold``.
        patience: milliseconds that the worker waits for an answer where a page is kept. Longer than published, or a
            busy machine would decide from where a page comes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.down, self.held = folder, False, None
        self.answered, self.resume = set(), threading.Event()
        self.patience = 60_000
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                with suppress(ConnectionError):  # the page was closed meanwhile
                    host.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # It ends when it next looks whether it shall; by itself it looks twice a second.
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.root = f"{self.origin}{PREFIX}"
        self.practice = self.root + offline.FOLDER

    def close(self) -> None:
        self.resume.set()
        self.server.shutdown()
        self.server.server_close()

    def hold(self, end: str) -> None:
        self.resume.clear()
        self.answered.clear()
        self.held = end

    def wait_until_only_the_held_is_missing(self, before: Path | None = None) -> None:
        """Of what is kept unasked; of a release that comes after another one, of what is not the same in both."""
        same = manifest(before)["files"] if before else {}
        files = manifest(self.folder)["files"]
        listed = {self.root + address for address, described in files.items() if same.get(address) != described}
        end = time.monotonic() + 60
        while missing := {address for address in listed - self.answered if not address.endswith(self.held)}:
            assert time.monotonic() < end, missing
            time.sleep(0.05)

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        _, _, path, query, _ = urlsplit(handler.path)
        if self.held and path.endswith(self.held):
            self.resume.wait(60)
        if self.down:
            return
        file = self.folder / path.removeprefix(PREFIX) / ("index.html" if path.endswith("/") else "")
        if path.startswith(PREFIX) and (file / "index.html").is_file():
            handler.send_response(301)
            handler.send_header("Location", f"{self.origin}{path}/{query and '?'}{query}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        if not path.startswith(PREFIX) or not file.is_file():
            handler.send_error(404)
            return
        body = file.read_bytes()
        if path == f"{PREFIX}offline.js":
            assert PATIENCE in body
            body = body.replace(PATIENCE, PATIENCE.replace(b"3_000", b"%d" % self.patience))
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        known = handler.headers["If-None-Match"] == tag
        handler.send_response(304 if known else 200)
        for name, value in {
            "ETag": tag,
            "Cache-Control": "max-age=600",
            "Content-Length": str(len(body)),
            "Content-Type": mimetypes.guess_type(file)[0],
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        if not known:
            handler.wfile.write(body)
        self.answered.add(urljoin(self.origin, path))


def visit(reader, host, path: str = ""):
    page = reader.new_page()
    page.goto(host.practice + path)
    return page


def shows(page, number: int) -> None:
    expect(page).to_have_title(re.compile(f"^Release {number}, "))


def wait_until_kept(page) -> None:
    expect(page.get_by_text(KEPT)).to_be_visible(timeout=60_000)


def list_of(host: Host, path: str) -> str:
    """The address of what a page needs, which is also how a browser notes that it has kept the page."""
    return f"{host.root}{offline.PAGES}{path}{offline.LIST}"


def open_and_keep(page, host: Host, path: str) -> None:
    """Open a page and wait until its present release is kept."""
    page.goto(host.root + path)
    release = manifest(host.folder)["release"]
    end = time.monotonic() + 60
    while not page.evaluate(
        "([url, cacheName]) => caches.match(url, { cacheName }).then(Boolean)",
        [list_of(host, path), f"torch-warmup {host.root} {release}"],
    ):
        assert time.monotonic() < end, caches(page)
        page.wait_for_timeout(50)


def caches(page) -> list[str]:
    return page.evaluate("caches.keys()")


def wait_for_caches(page, names: list[str]) -> None:
    end = time.monotonic() + 60
    while sorted(caches(page)) != sorted(names):
        assert time.monotonic() < end, caches(page)
        page.wait_for_timeout(50)


def open_every_page(page, host, number: int) -> None:
    """Open each practice page and do in it what it is for."""
    page.evaluate("localStorage.clear()")
    page.goto(host.practice + "mock/?format=short")
    shows(page, number)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#mock")).to_have_attribute("data-view", "running")
    page.goto(host.practice + "predict/")
    shows(page, number)
    page.get_by_role("button", name="Skip").click()
    page.goto(host.practice + "flashcards/")
    shows(page, number)
    page.get_by_role("button", name=re.compile("^Start")).click()
    page.get_by_role("button", name="Reveal the answer").click()
    page.keyboard.press("p")
    expect(page.locator(".tw-part .highlight code")).not_to_have_count(0)
    page.get_by_role("button", name="Good").click()
    page.wait_for_function("localStorage.getItem('torch-warmup')?.includes('card:')")
    page.goto(host.practice + "anki/")
    shows(page, number)
    page.goto(host.practice)
    shows(page, number)
    expect(page.locator(".tw-summary")).to_contain_text(re.compile("[1-9] flashcards? answered"))


def source(page, release) -> set[int | None]:
    """From which releases the open page would get files now; None where it would get none."""
    wanted = {number: manifest(release(number))["files"] for number in (1, 2)}
    changed = [address for address, hashed in wanted[1].items() if wanted[2][address] != hashed]
    changed.remove("assets/javascripts/practice/mock/recorder.js")  # tests hold its answer
    got = page.evaluate(
        """addresses => Promise.all(addresses.map(async address => {
        const response = await fetch(location.href.split("practice/")[0] + address).catch(() => null)
        if (!response?.ok) return [address, null]
        const digest = await crypto.subtle.digest("SHA-256", await response.arrayBuffer())
        return [address, "sha256-" + btoa(String.fromCharCode(...new Uint8Array(digest)))]
    }))""",
        changed,
    )
    return {
        next((number for number in wanted if wanted[number][address][0] == hashed), None) for address, hashed in got
    }


# A browser looks for a new worker some time after a page has come, which must not be while the one before is stopped.
SETTLED = """async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration.update().catch(() => {})  // there may be no network
    const settled = () => !registration.installing && !registration.waiting && registration.active.state === "activated"
    while (!settled()) await new Promise(resolve => setTimeout(resolve, 20))
}"""


def stop_worker(reader, page) -> None:
    """What browsers do with a worker that has had nothing to do for half a minute, so not while it is activated.

    One that is stopped then stays "activating" in Chromium, and what its pages ask for goes to the network.
    """
    page.evaluate(SETTLED)
    session = reader.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")
    session.detach()
