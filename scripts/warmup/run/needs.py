"""Whether this machine has what a snippet needs, and what to do where it has not; asks no torch."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from warmup.content.header import Header
from warmup.vocabulary import NEEDS


def missing_need(header: Header) -> str:
    """Why this machine cannot run a snippet with this header, and what to install; "" if it can."""
    return next(filter(None, (missing(need) for need in NEEDS if need in header.needs)), "")


def missing(need: str) -> str:
    """Why this machine cannot meet one need, and what to install; "" if it can.

    Raises:
        ValueError: there is no such need.
    """
    match need:
        case "cuda" if not has_gpu():
            return "needs cuda, and this machine has no NVIDIA GPU (no /dev/nvidia0, none in `nvidia-smi -L`)"
        case "compiler" if not has_compiler():
            return (
                "needs a C++ compiler, and none of $CXX, c++, g++ and clang++ is found: "
                "install g++ (`apt install g++`, `dnf install gcc-c++`, on a Mac `xcode-select --install`)"
            )
        case "cuda" | "compiler" | "multiprocess":
            return ""
    raise ValueError(f"nobody has said how to find out whether a machine has {need!r}")


@functools.cache
def has_gpu() -> bool:
    """Whether this machine has an NVIDIA GPU; asks no torch."""
    if Path("/dev/nvidia0").exists():
        return True
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and b"GPU " in listed.stdout


def has_compiler() -> bool:
    """Whether a C++ compiler is on the PATH: $CXX, c++, g++ or clang++."""
    named = shlex.split(os.environ.get("CXX", ""))[:1]
    return any(shutil.which(name) for name in [*named, "c++", "g++", "clang++"])
