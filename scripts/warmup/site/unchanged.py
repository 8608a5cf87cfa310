"""Whether a build would write what the last one wrote: then there is nothing to do."""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from warmup import memory
from warmup.project import ROOT, replace_file

# What a site is made of, besides what is installed. Claims are counted on a page.
_SOURCES = (
    *("docs", "snippets", "scripts", "tests"),
    *("mkdocs.yml", "CONTRIBUTING.md", "README.md", "requirements-test.txt"),
)
_SETTINGS = ("SITE_URL", "REPOSITORY_URL", "PDF", "LIVE", "ONLY", "WASM", "SOURCE_DATE_EPOCH")
_FILE = ROOT / ".cache" / "built.json"


def inputs() -> str:
    """A digest of all that a build depends on."""
    found = [f"{name}={os.environ.get(name, '')}" for name in _SETTINGS]
    # The sitemap and the deck have the day.
    found += [sys.version, datetime.datetime.now(datetime.UTC).date().isoformat()]
    found += sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions())
    found += [f"{name}={digest}" for name, digest in _files([ROOT / name for name in _SOURCES], contents=True)]
    if wasm := os.environ.get("WASM"):
        found += [f"{name}={digest}" for name, digest in _files([ROOT / wasm], contents=False)]
    return memory.digest(found)


def is_built(site: Path, state: str) -> bool:
    """Whether the site's folder holds what a build of this state has written, and nobody has touched it since."""
    try:
        return json.loads(_FILE.read_text(encoding="utf-8")).get(str(site)) == [state, _written(site)]
    except (OSError, ValueError, AttributeError):
        return False


def note(site: Path, state: str) -> None:
    """A build of this state has written the site."""
    known: dict = {}
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(_FILE.read_text(encoding="utf-8"))
    known = {folder: kept for folder, kept in known.items() if Path(folder).is_dir()}
    _FILE.parent.mkdir(parents=True, exist_ok=True)
    replace_file(_FILE, json.dumps({**known, str(site): [state, _written(site)]}))


def _written(site: Path) -> str:
    return memory.digest(f"{name}={state}" for name, state in _files([site], contents=False))


def _files(places: list[Path], *, contents: bool) -> Iterator[tuple[str, str]]:
    """All files with their state, in one order: their content, or size and time."""
    for place in places:
        below = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in (one for one in below if one.is_file() and "__pycache__" not in one.parts):
            stat = path.stat()
            yield str(path), memory.of_file(path).hex() if contents else f"{stat.st_size} {stat.st_mtime_ns}"
