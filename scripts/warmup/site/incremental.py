"""What ``make serve`` must build again after an edit.

MkDocs' ``--dirty`` compares a page with its own file only. It misses a page whose snippet changed, and every
page that is derived from others. This module tells it.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from warmup.content import levels, markdown, outputs
from warmup.project import ROOT, SNIPPETS, relative

log = logging.getLogger("mkdocs.hooks.warmup")
_last_frame: str | None = None


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
    """A digest of all that shows on every page: the theme, the configuration and the front matter of the questions."""
    digest = hashlib.sha256(config_file.read_bytes())
    for path in sorted((ROOT / "scripts" / "theme").rglob("*.html")):
        digest.update(path.read_bytes())
    for level in site.levels:
        for topic in level.topics:
            digest.update(f"{topic.level}/{topic.slug}".encode())
            for question in topic.questions:
                digest.update(repr((question.id, sorted(question.meta.items(), key=str))).encode())
    return digest.hexdigest()


def mark_stale(files, site: levels.Site, config) -> None:
    """Make MkDocs rebuild what an edit changed, and say so where an edit cannot be shown.

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
        if everything or _is_stale(Path(file.abs_src_path), Path(file.abs_dest_path)):
            file.is_modified = lambda: True
    if edited := edited_code():
        log.warning(
            "%s: Edited, but this server still runs the code it was started with. "
            "Stop it with Ctrl+C and run make serve again.",
            ", ".join(edited),
        )


def _is_stale(source: Path, built: Path) -> bool:
    """Whether a page shows what its own source does not hold, and that may have changed.

    What a marker stands for is derived from all other pages: such a page is always stale.
    """
    if source.suffix != ".md":
        return False
    lines = markdown.lines(source.read_text(encoding="utf-8", errors="replace"))
    if not built.exists() or any(line.marker for line in lines):
        return True
    when = built.stat().st_mtime
    shown = [SNIPPETS / include["path"] for line in lines if (include := line.include)]
    variants = [variant.path for path in shown if path.suffix == ".out" for variant in outputs.variants(path)]
    return any(path.stat().st_mtime > when for path in (*shown, *variants) if path.exists())
