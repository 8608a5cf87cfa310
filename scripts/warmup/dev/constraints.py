"""``constraints.txt``: the version of each package that the requirements pull in, read from this environment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from warmup.project import ROOT

FILE = ROOT / "constraints.txt"
HEAD = """\
# Written by `make constraints`; raise versions in the requirements files. What is not here is left to pip: torch, whose
# pin stands in requirements-test.txt, the CUDA libraries that it brings on Linux, and the tools of packaging.
"""
UNCONSTRAINED = re.compile(r"torch|triton|nvidia-.+|cuda-.+|pip|setuptools|wheel")


def canonical(name: str) -> str:
    """The one spelling of a package's name: ``Markdown_It.py`` is ``markdown-it-py``."""
    return re.sub(r"[-_.]+", "-", name).lower()


def lines(installed: Iterable[tuple[str, str]]) -> list[str]:
    """``name==version``, sorted, without local tags such as ``+cpu``, which one index has and another has not.

    Args:
        installed: names and versions, as the packages' metadata spell them.
    """
    pins = {canonical(name): version.partition("+")[0] for name, version in installed}
    return [f"{name}=={pins[name]}" for name in sorted(pins) if not UNCONSTRAINED.fullmatch(name)]


def write(path: Path = FILE) -> int:
    """Write what this environment has installed; returns how many packages that is."""
    pins = lines((found.metadata["Name"], found.version) for found in metadata.distributions())
    path.write_text(HEAD + "\n" + "\n".join(pins) + "\n", encoding="utf-8")
    return len(pins)
