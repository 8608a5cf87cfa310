"""The practice pages without a network: never a mix of two releases of the site, and only what is there is promised."""

from __future__ import annotations

import hashlib
import http.server
import json
import mimetypes
import re
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Error, expect

from warmup.exports import offline
from warmup.testing import PREFIX

KEPT = "This browser now has all practice pages"


class Host:
    """Serves one release of the site as GitHub Pages does: a browser may show a file for ten minutes without asking.

    Attributes:
        folder: the built site.
        down: there is no network; each connection is closed without an answer.
        held: where an address ends in this, its answer waits for ``resume``.
        answered: the addresses for which there was an answer since ``hold``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.down, self.held = folder, False, None
        self.answered, self.resume = set(), threading.Event()
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                with suppress(ConnectionError):  # the page was closed meanwhile
                    host.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.practice = f"{self.origin}{PREFIX}{offline.FOLDER}"

    def close(self) -> None:
        self.resume.set()
        self.server.shutdown()
        self.server.server_close()

    def hold(self, end: str) -> None:
        self.resume.clear()
        self.answered.clear()
        self.held = end

    def wait_until_only_the_held_is_missing(self) -> None:
        listed = {urljoin(self.practice, address) for address in offline.manifest(self.folder)["files"]}
        end = time.monotonic() + 20
        while missing := {address for address in listed - self.answered if not address.endswith(self.held)}:
            assert time.monotonic() < end, missing
            time.sleep(0.05)

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        path = urlsplit(handler.path).path
        if self.held and path.endswith(self.held):
            self.resume.wait(60)
        if self.down:
            return
        file = self.folder / path.removeprefix(PREFIX) / ("index.html" if path.endswith("/") else "")
        if not path.startswith(PREFIX) or not file.is_file():
            handler.send_error(404)
            return
        body = file.read_bytes()
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


@pytest.fixture(scope="session")
def release(site, tmp_path_factory) -> Callable[[int], Path]:
    """The folder of a release: each names a function that the scripts share, and its pages, in its own way."""
    made = {}

    def make(number: int) -> Path:
        if number not in made:
            folder = made[number] = tmp_path_factory.mktemp("release") / str(number)
            shutil.copytree(site, folder)
            changed = 0
            for script in (folder / "assets/javascripts/practice").glob("*.js"):
                text, count = re.subn(r"\bcounted\b", f"counted{number}", script.read_text(encoding="utf-8"))
                script.write_text(text, encoding="utf-8")
                changed += count > 0
            assert changed > 3
            for page in (folder / "practice").rglob("index.html"):
                text = page.read_text(encoding="utf-8")
                page.write_text(text.replace("<title>", f"<title>Release {number}, "), encoding="utf-8")
            offline.write(folder)
        return made[number]

    return make


@pytest.fixture
def host(release):
    started = Host(release(1))
    yield started
    started.close()


@pytest.fixture
def reader(chromium):
    """A browser; at the end of the test no page in it has had an error."""
    context = chromium.new_context(reduced_motion="reduce")
    errors = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield context
    context.close()
    assert not errors, errors


def visit(reader, host, path: str = ""):
    page = reader.new_page()
    page.goto(host.practice + path)
    return page


def shows(page, number: int) -> None:
    expect(page).to_have_title(re.compile(f"^Release {number}, "))


def wait_until_kept(page) -> None:
    expect(page.get_by_text(KEPT)).to_be_visible(timeout=20_000)


def caches(page) -> list[str]:
    return page.evaluate("caches.keys()")


def wait_for_caches(page, names: list[str]) -> None:
    end = time.monotonic() + 20
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
    wanted = {number: offline.manifest(release(number))["files"] for number in (1, 2)}
    changed = [address for address, hashed in wanted[1].items() if wanted[2][address] != hashed]
    got = page.evaluate(
        """addresses => Promise.all(addresses.map(async address => {
        const folder = location.href.split("practice/")[0] + "practice/"
        const response = await fetch(new URL(address, folder)).catch(() => null)
        if (!response?.ok) return [address, null]
        const digest = await crypto.subtle.digest("SHA-256", await response.arrayBuffer())
        return [address, "sha256-" + btoa(String.fromCharCode(...new Uint8Array(digest)))]
    }))""",
        changed,
    )
    return {next((number for number in wanted if wanted[number][address] == hashed), None) for address, hashed in got}


def stop_worker(reader, page) -> None:
    """What browsers do with a worker that has had nothing to do for half a minute."""
    session = reader.new_cdp_session(page)
    session.send("ServiceWorker.enable")
    session.send("ServiceWorker.stopAllWorkers")
    session.detach()


# ---------- What is kept ----------


def test_the_manifest_lists_what_browsers_request(chromium, host):
    asked = set()
    for scheme in ("light", "dark"):
        context = chromium.new_context(color_scheme=scheme, service_workers="block")
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url.split("?")[0]))
        open_every_page(visit(context, host), host, 1)
        page.goto(host.practice)
        for path in ("", "flashcards/", "mock/", "predict/", "anki/"):
            page.goto(host.practice + path)
            page.wait_for_load_state("networkidle")
        context.close()
    listed = {urljoin(host.practice, address) for address in offline.manifest(host.folder)["files"]}
    # Without a window to show it in, Chromium does not ask for the icon.
    assert asked | {urljoin(host.practice, "../assets/images/favicon.svg")} == listed


def test_the_manifest_is_the_one_of_the_files_beside_it(site):
    assert json.loads((site / offline.MANIFEST).read_text()) == offline.manifest(site)


# ---------- Releases ----------


def test_after_a_release_and_one_visit_every_page_opens_without_a_network(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    page.close()
    host.folder = release(2)
    page = visit(reader, host)
    wait_until_kept(page)
    host.down = True
    open_every_page(page, host, 2)
    assert source(page, release) == {2}


def test_a_release_is_shown_at_once_and_whole(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    open_every_page(page, host, 1)
    host.folder = release(2)
    open_every_page(page, host, 2)
    assert source(page, release) == {2}


def test_only_the_caches_of_this_site_and_of_older_releases_are_deleted(reader, host, release):
    page = reader.new_page()
    page.goto(f"{host.origin}{PREFIX}404.html")
    others = ["of another site", f"torch-warmup {host.origin}/a-fork/practice/ 1234"]
    for name in ("torch-warmup-practice", *others):
        page.evaluate("name => caches.open(name)", name)
    for number in (1, 2):
        host.folder = release(number)
        page.goto(host.practice)
        wait_until_kept(page)
        name = f"torch-warmup {host.practice} {offline.manifest(host.folder)['release']}"
        wait_for_caches(page, [*others, name])


def test_an_installation_that_loses_its_network_leaves_the_one_before(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    before = caches(page)
    host.folder = release(2)
    host.hold("recorder.js")
    page.goto(host.practice)
    shows(page, 2)
    host.wait_until_only_the_held_is_missing()
    host.down = True
    # In the middle of it ...
    other = visit(reader, host)
    open_every_page(other, host, 1)
    # ... and after its end.
    host.resume.set()
    wait_for_caches(other, before)
    open_every_page(other, host, 1)
    assert source(other, release) == {1}
    expect(page.get_by_text(KEPT)).to_be_hidden()
    host.down = False
    page.goto(host.practice)
    wait_until_kept(page)
    host.down = True
    open_every_page(other, host, 2)


def test_an_open_page_keeps_its_source_when_a_release_comes(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    page.goto(host.practice)  # from the cache now
    host.folder = release(2)
    other = visit(reader, host)
    wait_until_kept(other)
    for _ in range(2):
        assert source(page, release) == {1}
        assert source(other, release) == {2}
        stop_worker(reader, page)
    page.close()
    for _ in range(2):
        other.goto(host.practice)
        wait_until_kept(other)
    (name,) = caches(other)
    notes = other.evaluate("async name => (await (await caches.open(name)).keys()).map(one => one.url)", name)
    assert sum("?page=" in url for url in notes) == 1


def test_a_page_of_a_new_release_takes_nothing_from_the_one_before(reader, host, release):
    page = visit(reader, host)
    wait_until_kept(page)
    host.folder = release(2)
    host.hold("recorder.js")
    page.goto(host.practice)
    shows(page, 2)
    host.wait_until_only_the_held_is_missing()
    assert source(page, release) == {2}
    host.down = True
    host.resume.set()
    for _ in range(2):
        assert source(page, release) == {None}
        stop_worker(reader, page)


# ---------- What is promised ----------


def test_nothing_is_promised_before_all_is_kept(reader, host):
    host.hold("recorder.js")
    page = visit(reader, host)
    host.wait_until_only_the_held_is_missing()
    page.wait_for_timeout(1_000)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    host.resume.set()
    wait_until_kept(page)


def test_nothing_is_promised_where_a_file_is_missing_or_of_another_release(reader, host, release, tmp_path):
    for number, damage in enumerate((Path.unlink, lambda file: file.write_text("export const wait = 1"))):
        host.folder = tmp_path / str(number)
        shutil.copytree(release(1), host.folder)
        damage(host.folder / "assets/javascripts/practice/recorder.js")
        page = visit(reader, host)
        page.wait_for_function("navigator.serviceWorker.controller")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1_000)
        expect(page.get_by_text(KEPT)).to_be_hidden()
        assert caches(page) == []


def test_where_storage_is_full_pages_work_and_nothing_is_promised(reader, host):
    page = reader.new_page()
    page.goto(f"{host.origin}{PREFIX}404.html")
    session = reader.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.origin, "quotaSize": 300_000})
    page.goto(host.practice)
    page.wait_for_function("navigator.serviceWorker.controller")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1_000)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    open_every_page(page, host, 1)
    host.down = True
    with pytest.raises(Error, match="ERR_"):
        visit(reader, host)
    host.down = False
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.origin})
    page.goto(host.practice)
    wait_until_kept(page)


# ---------- While the site is served ----------


def test_questions_that_wait_for_an_edit_end_with_their_page(reader, host):
    page = visit(reader, host)
    wait_until_kept(page)
    host.hold("/news")
    for number in range(8):  # a browser has six connections to a host
        page.goto(host.practice, timeout=20_000)
        with page.expect_request("**/news"):
            page.evaluate(
                """number => {
                const request = new XMLHttpRequest()
                request.open("GET", `/livereload/${number}/news`)
                request.send()
            }""",
                number,
            )
        page.wait_for_timeout(200)
