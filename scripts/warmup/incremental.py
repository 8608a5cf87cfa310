"""What ``make serve`` must build again after an edit.

MkDocs' ``--dirty`` compares a page with its own file only. It misses a page whose snippet changed, and every
page that is derived from others. This module tells it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from warmup import pages
from warmup.problems import ROOT

# Pages whose text comes from the other pages: always built again.
DERIVED = ("index.md", "questions.md", "practice/flashcards.md", "practice/mock.md", "practice/predict.md",
           "about/contributing.md", "about/data.md", "about/myths.md", "about/verified.md")

_last_frame: str | None = None


def frame(site: pages.Site, config_file: Path) -> str:
    """A digest of all that shows on every page: the theme, the configuration and the names of the pages."""
    digest = hashlib.sha256(config_file.read_bytes())
    for path in sorted((ROOT / "scripts").rglob("*")):
        if path.suffix in (".py", ".html"):
            digest.update(path.read_bytes())
    for level in site.levels:
        for topic in level.topics:
            digest.update(f"{topic.level}/{topic.slug}".encode())
            for question in topic.questions:
                digest.update(repr((question.id, sorted(question.meta.items(), key=str))).encode())
    return digest.hexdigest()


def mark_stale(files, site: pages.Site, config) -> None:
    """Make MkDocs rebuild what an edit changed.

    Args:
        files: MkDocs' files of this build.
        site: the questions as they are now.
        config: MkDocs' configuration.
    """
    global _last_frame
    now = frame(site, Path(config.config_file_path))
    everything = now != _last_frame
    _last_frame = now
    for file in files.documentation_pages():
        question = site.by_id.get(file.src_uri.removesuffix(".md"))
        if everything or file.src_uri in DERIVED or file.src_uri.endswith("/index.md") or (
                question and _snippet_is_newer(question, Path(file.abs_dest_path))):
            file.is_modified = lambda: True


def _snippet_is_newer(question: pages.Question, built: Path) -> bool:
    if not built.exists():
        return True
    when = built.stat().st_mtime
    paths = [pages.SNIPPETS / i.path for i in question.includes]
    return any(p.stat().st_mtime > when for p in paths if p.exists())
