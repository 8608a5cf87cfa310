"""The site, built once and served on a free port below a path, as GitHub Pages serves a project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from warmup.dev import browser
from warmup.dev.serving import served
from warmup.testing import PREFIX, build_site, built, copy_sample, once, sample_folder, site_folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A folder that is new in each run of the tests and the same for all workers of pytest-xdist."""
    mine = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


@pytest.fixture(scope="session")
def site(shared) -> Path:
    """The built site's folder, below a folder that stands for the host. Built once for all workers: only read it."""
    if failure := built(shared):
        # Printed, it stands in the report of this worker's first test, and not in those of all that follow.
        print(failure)
        pytest.fail(f"The site does not build. Why stands at {os.environ['PYTEST_CURRENT_TEST']}.", pytrace=False)
    return site_folder(shared)


@pytest.fixture(scope="session")
def address(site) -> Iterator[str]:
    """Address of the served site, ending in a slash."""
    with served(site.parent, PREFIX) as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import expect, sync_playwright

    # As long as all else waits: how loaded the machine is must decide nothing.
    expect.set_options(timeout=30_000)
    path = browser.find()
    if path is None:
        pytest.skip(browser.MISSING)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(browser.ARGUMENTS))
        yield started
        started.close()


@pytest.fixture
def open_page(chromium, address):
    """Opens a page of the site; at the end of the test, no request has gone anywhere else and nothing has failed."""
    contexts, foreign, failures = [], [], []

    def watch(request):
        if not request.url.startswith((address, "data:", "blob:")):
            foreign.append(request.url)

    def go(path: str = "", *, width: int = 1280, scheme: str = "light", javascript: bool = True, **options):
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
            reduced_motion="reduce",
            **{"service_workers": "block", **options},
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", watch)
        page.on("pageerror", lambda error: failures.append(f"{path}: {error}"))
        page.on(
            "console",
            lambda message: (
                failures.append(f"{path}: {message.text}")
                if message.type == "error" and "404" not in message.text
                else None
            ),
        )
        page.goto(address + path)
        return page

    yield go
    for context in contexts:
        context.close()
    assert not foreign, f"requests to third parties: {foreign}"
    assert not failures, failures


@pytest.fixture
def project_copy(tmp_path) -> Path:
    """A copy of the sample project to break."""
    return copy_sample(tmp_path)


@pytest.fixture(scope="session")
def sample_site(shared) -> Path:
    """The folder of the sample project's site, built once for all workers: only read it."""
    folder = sample_folder(shared)

    def build() -> str:
        return build_site(folder / "site", copy_sample(folder), "--strict").stderr

    said = once(folder / "once", build)
    assert (folder / "site" / "index.html").exists(), said
    return folder / "site"
