"""What was made of a content and is wanted again, in this process and in later ones: by content, never by time.

It is one file below ``.cache``. To delete it costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from warmup.project import ROOT

T = TypeVar("T")
FILE = ROOT / ".cache" / "memory.sqlite"
# As many are kept of a kind; beyond, what was made first goes first.
MOST = 20_000
_known: dict[str, dict[str, bytes]] = {}
_new: dict[tuple[str, str], bytes] = {}


def remembered(kind: str, about: Iterable[str | bytes], make: Callable[[], T]) -> T:
    """What ``make`` gives, made again only if ``about`` has changed.

    Args:
        kind: names what is made.
        about: all that it depends on, as content.
        make: makes it; it must be fit for pickle.
    """
    key = digest(about)
    known = _of(kind)
    if key not in known:
        known[key] = _new[kind, key] = pickle.dumps(make())
    return pickle.loads(known[key])


def save() -> None:
    """Write down what is new. What another process writes at the same time stays, too."""
    if not _new:
        return
    rows = [(kind, key, value) for (kind, key), value in _new.items()]
    _new.clear()
    with contextlib.suppress(OSError, sqlite3.Error), _opened() as file, file:
        file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
        for kind in {row[0] for row in rows}:
            file.execute(
                "DELETE FROM kept WHERE kind = ?1 AND rowid NOT IN "
                "(SELECT rowid FROM kept WHERE kind = ?1 ORDER BY rowid DESC LIMIT ?2)",
                (kind, MOST),
            )


def digest(about: Iterable[str | bytes]) -> str:
    """One digest of many contents, in their order."""
    found = hashlib.sha256()
    for one in about:
        text = one.encode("utf-8", "surrogateescape") if isinstance(one, str) else one
        found.update(len(text).to_bytes(8, "big") + text)
    return found.hexdigest()[:32]


def of_file(path: Path) -> bytes:
    """The digest of a file's content; empty where there is none. Read again only if time or size have changed."""
    try:
        stat = path.stat()
    except OSError:
        return b""
    return _of_file(path, stat.st_mtime_ns, stat.st_size)


def forget_files() -> None:
    """Read each file again: whoever watches what is read is to see it."""
    _of_file.cache_clear()


@functools.lru_cache(maxsize=100_000)
def _of_file(path: Path, _time: int, _size: int) -> bytes:
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:  # a folder: what is in it by name
        return digest(sorted(one.name for one in path.iterdir())).encode()


def _of(kind: str) -> dict[str, bytes]:
    if kind not in _known:
        _known[kind] = {}
        with contextlib.suppress(OSError, sqlite3.Error), _opened() as file:
            _known[kind] = dict(file.execute("SELECT key, value FROM kept WHERE kind = ?", (kind,)))
    return _known[kind]


def _opened() -> contextlib.closing[Any]:
    FILE.parent.mkdir(parents=True, exist_ok=True)
    file = sqlite3.connect(FILE, timeout=20)
    file.execute("CREATE TABLE IF NOT EXISTS kept (kind TEXT, key TEXT, value BLOB, UNIQUE (kind, key))")
    return contextlib.closing(file)


@functools.cache
def tools() -> bytes:
    """The digest of the tools: what they made before an edit of them says nothing."""
    return digest(of_file(path) for path in sorted((ROOT / "scripts" / "warmup").rglob("*.py"))).encode()
