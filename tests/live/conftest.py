"""`make live` as a reader starts it: the site built for it, the server, and a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from live_server import KERNELS, Live, ask, bearer, end, launch
from warmup.dev import browser
from warmup.project import ROOT
from warmup.testing import once


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    mine = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


@pytest.fixture(scope="session")
def site(shared) -> Path:
    """The folder of the site, built for `make live` once for all workers: only read it."""
    folder = shared / "live"

    def build() -> str:
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder / "site")]
        environment = {**os.environ, "LIVE": "1", "NO_MKDOCS_2_WARNING": "1"}
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
        return "" if result.returncode == 0 else result.stderr or "mkdocs failed."

    assert once(folder / "once", build) == ""
    return folder / "site"


@pytest.fixture
def start(site, tmp_path) -> Iterator[Callable[..., Live]]:
    """Starts servers of the site, in another folder (`cwd`) or with more variables in their environment."""
    started: list[Live] = []

    def go(**environment: str) -> Live:
        started.append(launch(site, tmp_path / f"server-{len(started)}.log", **environment))
        return started[-1]

    yield go
    for live in started:
        end(live)


@pytest.fixture(scope="session")
def server(site, tmp_path_factory) -> Iterator[Live]:
    live = launch(site, tmp_path_factory.mktemp("live") / "server.log")
    yield live
    end(live)


@pytest.fixture
def live(server) -> Iterator[Live]:
    """A server that all tests share; each leaves it without kernels."""
    yield server
    for kernel in json.loads(ask(server, KERNELS, **bearer(server)).text):
        ask(server, f"{KERNELS}/{kernel['id']}", "DELETE", **bearer(server))


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = browser.find()
    if path is None:
        pytest.skip(browser.MISSING)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(browser.ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def open_live(chromium, live) -> Iterator[Callable]:
    """Opens a page as who has the printed address; at the end nothing has failed in it, and nobody else was asked."""
    contexts, foreign, failures = [], [], []

    def go(path: str = "", *, key: str | None = None, context=None, width: int = 1280, scheme: str = "light"):
        key = live.key() if key is None else key
        if context is None:
            context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            contexts.append(context)
        page = context.new_page()
        own = (live.address, live.address.replace("http", "ws"), "data:", "blob:")
        page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith(own) else None)
        page.on("pageerror", lambda error: failures.append(f"{path}: {error}"))
        page.goto(f"{live.address}/{path}" + (f"#key={key}" if key else ""))
        return page

    yield go
    for context in contexts:
        context.close()
    assert not foreign, f"requests to others: {foreign}"
    assert not failures, failures


@pytest.fixture(scope="module")
def tab(chromium, server):
    """One tab, which has one kernel, for all pages of a module."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(f"{server.address}/#key={server.key()}")
    page.wait_for_function("sessionStorage.length")  # the token: a page that is left before it has it has lost the key
    yield page
    context.close()
