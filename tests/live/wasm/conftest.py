"""A site whose programs run in the reader's own browser, built once, and visits to it."""

from __future__ import annotations

from pathlib import Path
from unittest import mock
from urllib.parse import unquote

import pytest
from test_page import Cell

import wasm_site
from warmup.dev.serving import served
from warmup.testing import PREFIX, build_site, once

PAGE = "junior/autograd/thing/"
PYODIDE = "/assets/pyodide/"


@pytest.fixture(scope="session", autouse=True)
def pyodide(shared):
    """Skips, in all workers after one of them has tried, where Pyodide cannot be had."""
    if missing := once(shared / "pyodide", wasm_site.missing):
        pytest.skip(missing)


@pytest.fixture(scope="session")
def built(shared) -> Path:
    """The folder of the project, below which `host` is the root of one that serves its site: only read it."""
    folder = shared / "wasm"

    def make() -> str:
        root = wasm_site.project(folder)
        done = wasm_site.prepared(root)
        assert done.returncode == 0, done.stderr
        with mock.patch.dict("os.environ", WASM="build/wasm", LIVE=""):
            result = build_site(folder / "host" / PREFIX.strip("/"), root, "--strict")
        return done.stdout if result.returncode == 0 else result.stderr or "mkdocs failed."

    assert "programs get a button" in once(folder / "once", make)
    return folder


@pytest.fixture
def site(built) -> Path:
    return built / "host" / PREFIX.strip("/")


class Visit:
    """A page, what it asked for, and the programs on it."""

    def __init__(self, context, address: str, path: str) -> None:
        self.asked: list[str] = []  # by the page
        self.passed_on: list[str] = []  # by the site's service worker: most of it the page has asked for
        self.failures: list[str] = []
        self.context, self.address = context, address
        self.reached: list[str] = []  # of what was asked for, what a server has answered
        context.on("request", self._note)
        context.on("response", lambda response: self.reached.append(response.url))
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.failures.append(str(error)))
        self.open(path)

    def _note(self, request) -> None:
        (self.passed_on if request.service_worker else self.asked).append(request.url)

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.page.wait_for_selector(".tw-run__bar")
        self.cell = Cell(self.page)

    @property
    def pythons(self) -> int:
        """The workers that are not the search's."""
        return sum(worker.url.startswith("blob:") for worker in self.page.workers)

    @property
    def downloads(self) -> list[str]:
        return [unquote(url.rpartition("/")[2]) for url in self.asked if PYODIDE in url]


@pytest.fixture
def visit(chromium, site):
    """Opens a page of a site; at the end nothing has failed in it, and nobody else was asked."""
    contexts, visits = [], []
    with served(site.parent, PREFIX) as own:

        def go(
            path: str = PAGE, address: str = own, width: int = 1280, scheme: str = "light", phone: bool = False
        ) -> Visit:
            size = {"width": 360, "height": 740} if phone else {"width": width, "height": 900}
            touch = {"is_mobile": True, "has_touch": True} if phone else {}
            contexts.append(chromium.new_context(viewport=size, color_scheme=scheme, **touch))
            visits.append(Visit(contexts[-1], address, path))
            return visits[-1]

        yield go
        for context in contexts:
            context.close()
    for one in visits:
        foreign = [url for url in one.asked + one.passed_on if not url.startswith((one.address, "data:", "blob:"))]
        assert not foreign and not one.failures, (foreign, one.failures)
