"""The theme's templates as Jinja compiles them: an edit that changes none of them does not wait for that again."""

from __future__ import annotations

import jinja2

from warmup.project import ROOT

_FOLDER = ROOT / ".cache" / "templates"


def compiled() -> jinja2.BytecodeCache:
    """Jinja's own memory of them, by content."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    return jinja2.FileSystemBytecodeCache(str(_FOLDER))
