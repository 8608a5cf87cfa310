"""The state of files, of the machine and of what is installed, each as a short digest."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from warmup.dev import browser
from warmup.run import needs
from warmup.vocabulary import NEEDS

# What makes one machine compute or wait in another way than the next one.
SETTINGS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "ATEN_CPU_CAPABILITY",
    "MKL_CBWR",
    "ONEDNN_MAX_CPU_ISA",
    "PYTHONHASHSEED",
    "PYTEST_ADDOPTS",
)
# Made, not written: by a build, by Python, by an editor.
_MADE = re.compile(r"(^|/)(\.[^/]*|__pycache__|build|site|mine)(/|$)")


def digest(parts: Iterable[str]) -> str:
    """One digest for many texts, in their order."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return found.hexdigest()[:24]


class Files:
    """Digests of files below a folder, each read once.

    Args:
        root: the folder; paths are relative to it, with forward slashes.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._kept: dict[str, str] = {}
        self._times: dict[str, float] = {}

    def one(self, path: str) -> str:
        """The digest of a file; of a folder, that of all files in it; "" where there is neither."""
        if path not in self._kept:
            file = self.root / path
            if file.is_dir():
                self._kept[path] = digest(f"{one}={self.one(one)}" for one in self.below(path))
            else:
                try:
                    self._kept[path] = hashlib.sha256(file.read_bytes()).hexdigest()[:24]
                except OSError:
                    self._kept[path] = ""
        return self._kept[path]

    def names(self, folder: str) -> str:
        """The digest of which files and folders a folder holds that somebody wrote."""
        found = sorted(path.relative_to(self.root).as_posix() for path in Path(self.root, folder).glob("*"))
        return digest(path for path in found if not _MADE.search(path))

    def below(self, folder: str) -> list[str]:
        """All files below a folder of the root that somebody wrote, in order."""
        paths = (path.relative_to(self.root).as_posix() for path in Path(self.root, folder).rglob("*"))
        return sorted(path for path in paths if not (_MADE.search(path) or (self.root / path).is_dir()))

    def newest(self, paths: Sequence[str]) -> float:
        """When the last of these files, or of those in these folders, was written, in seconds; 0 for none."""
        for path in paths:
            if path not in self._times:
                file = self.root / path
                if file.is_dir():
                    self._times[path] = self.newest(self.below(path))
                else:
                    self._times[path] = file.stat().st_mtime if file.exists() else 0.0
        return max((self._times[path] for path in paths), default=0.0)


@functools.cache
def surroundings() -> str:
    """What all tests depend on besides files of the project: Python, packages, processor, settings, a browser."""
    packages = sorted(f"{one.name}=={one.version}" for one in importlib.metadata.distributions())
    chromium = browser.find() or ""
    return digest(
        [
            sys.version,
            platform.platform(),
            _processor(),
            *packages,
            *(f"{name}={os.environ.get(name, '')}" for name in SETTINGS),
            *(f"{need}={needs.missing(need)}" for need in NEEDS),
            chromium,
            str(Path(chromium).stat().st_mtime if chromium else 0),
        ]
    )


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    return "\n".join(sorted(set(re.findall(r"^(?:model name|flags)\s*:.*", text, flags=re.M))))
