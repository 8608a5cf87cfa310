"""Releases of the site, a host that serves one, and a reader's browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from release_host import Host
from warmup.exports import offline


def releases_of(site: Path, below: Path) -> Callable[[int], Path]:
    """The folder of a release: each names a function that the scripts share, and its pages, in its own way."""
    made = {}
    shutil.copytree(site, below / "site")

    def make(number: int) -> Path:
        if number not in made:
            folder = made[number] = below / str(number)
            shutil.copytree(below / "site", folder)
            changed = 0
            for script in (folder / "assets/javascripts").rglob("*.js"):
                text, count = re.subn(r"\bcounted\b", f"counted{number}", script.read_text(encoding="utf-8"))
                script.write_text(text, encoding="utf-8")
                changed += count > 0
            assert changed > 3
            # The worker, and a script that no page loads before somebody presses a button.
            for name in ("offline.js", "assets/javascripts/practice/mock/recorder.js"):
                with (folder / name).open("a", encoding="utf-8") as script:
                    script.write(f"// {number}")
            with (folder / "assets/javascripts/plan.js").open("a", encoding="utf-8") as script:
                script.write(f"globalThis.ran = {number}\n")
            for page in folder.rglob("index.html"):
                text = page.read_text(encoding="utf-8")
                page.write_text(text.replace("<title>", f"<title>Release {number}, "), encoding="utf-8")
            offline.write(folder)
        return made[number]

    return make


@pytest.fixture(scope="session")
def release(sample_site, tmp_path_factory) -> Callable[[int], Path]:
    """A release of the sample project's site, which is kept as a whole in a second."""
    return releases_of(sample_site, tmp_path_factory.mktemp("release"))


@pytest.fixture
def host(release):
    started = Host(release(1))
    yield started
    started.close()


@pytest.fixture
def whole_host(site, tmp_path):
    """A host of this site instead of the sample's."""
    started = Host(releases_of(site, tmp_path)(1))
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
