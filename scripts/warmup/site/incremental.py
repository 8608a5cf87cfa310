"""What ``make serve`` must build again after an edit, and that ``make page`` builds one page.

MkDocs' ``--dirty`` compares a page with its own file only. It misses a page whose snippet changed, and every
page that is derived from others. This module tells it.
"""

from __future__ import annotations

import hashlib
import logging
import posixpath
import re
from pathlib import Path

from warmup.content import markdown, outputs
from warmup.kinds import levels
from warmup.project import ROOT, SNIPPETS, ProblemError, relative
from warmup.site.expand import Renderer

log = logging.getLogger("mkdocs.hooks.warmup")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^):\s]+)[ )]")
# By page, what it shows; by "", the frame. Of the last build that came to its end, and of the one that runs.
_built: dict[str, object] = {}
_now: dict[str, object] = {}
# By page without a marker, its text as it was looked at last, and the addresses of snippets and pictures in it.
_seen: dict[str, tuple[bytes, list[str], list[str]]] = {}


def _code() -> dict[Path, bytes]:
    """What the site is made with, as it is on disk now."""
    folder = ROOT / "scripts"
    return {path: path.read_bytes() for path in (folder / "hooks.py", *sorted((folder / "warmup").rglob("*.py")))}


# Python keeps a module that it has imported: whatever is edited later does not run in this process.
_running = _code()


def edited_code() -> list[str]:
    """The modules of the tools that are no longer what this process runs."""
    now = _code()
    return sorted(relative(path) for path in _running.keys() | now.keys() if _running.get(path) != now.get(path))


def frame(site: levels.Site, config_file: Path) -> str:
    """A digest of all that shows on every page: the theme, the configuration and the pages' front matter."""
    digest = hashlib.sha256(config_file.read_bytes())
    for path in sorted((ROOT / "scripts" / "theme").rglob("*.html")):
        digest.update(path.read_bytes())
    for level in site.levels:
        for topic in level.topics:
            digest.update(f"{topic.level}/{topic.slug}".encode())
            for question in topic.questions:
                digest.update(repr((question.id, sorted(question.meta.items(), key=str))).encode())
    for page in site.drills:
        digest.update(repr((page.id, sorted(page.meta.items(), key=str))).encode())
    return digest.hexdigest()


def mark_stale(files, renderer: Renderer, config) -> None:
    """Make MkDocs rebuild what an edit changed, and say so where an edit cannot be shown.

    Args:
        files: MkDocs' files of this build.
        renderer: of this build.
        config: MkDocs' configuration.
    """
    _now.clear()
    _now[""] = frame(renderer.site, Path(config.config_file_path))
    for file in files.documentation_pages():
        what = _now[file.src_uri] = _shown(file, renderer)
        if _now[""] != _built.get("") or what is None or what != _built.get(file.src_uri):
            file.is_modified = lambda: True
        elif file.abs_src_path is None and Path(file.abs_dest_path).exists():
            file.is_modified = lambda: False  # MkDocs builds a page that is no file each time
    if edited := edited_code():
        log.warning(
            "%s: Edited, but this server still runs the code it was started with. "
            "Stop it with Ctrl+C and run make serve again.",
            ", ".join(edited),
        )


def mark_only(files, name: str) -> None:
    """Make MkDocs build this page and no other; which pages there are, navigation and links know all the same."""
    for file in files.documentation_pages():
        file.is_modified = lambda wanted=file.src_uri == name: wanted


def remember() -> None:
    """The build has come to its end: all that was stale is built."""
    _built.clear()
    _built.update(_now)


def _shown(file, renderer: Renderer) -> tuple | None:
    """What a page shows: its text, and each file that stands in it or says something about one, with its time.

    A marker stands for what is derived from other pages: its text is part of the page's. None where that fails.
    """
    content = file.content_bytes
    if not file.src_uri.endswith(".md"):
        return (content,)
    before, includes, images = _seen.get(file.src_uri, (None, [], []))
    text = ""
    if before != content:
        written = content.decode("utf-8", errors="replace")
        try:
            text = renderer.without_markers(written, file.url, renderer.docs / file.src_uri)
        except ProblemError:
            return None
        includes = [include["path"] for line in markdown.lines(text) if (include := line.include)]
        images = _IMAGE.findall(text)
        if text == written:
            _seen[file.src_uri], text = (content, includes, images), ""
    paths = [SNIPPETS / name for name in includes]
    for path in [path for path in paths if path.suffix == ".out"]:
        paths += [path.with_suffix(".py"), *(variant.path for variant in outputs.variants(path))]
    paths += [renderer.docs / posixpath.dirname(file.src_uri) / address for address in images]
    return (content, text, *((path, path.stat().st_mtime_ns if path.exists() else None) for path in paths))
