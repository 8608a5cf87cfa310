"""Whether this machine has what a snippet needs, and what to do where it has not; asks no torch."""

from __future__ import annotations

import functools
import importlib.util
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from warmup.content.header import Header
from warmup.vocabulary import NEEDS

# What a need imports that `make test` does not install, because few programs want it.
PACKAGES = {"torchao": ("torchao",), "onnx": ("onnx", "onnxscript", "onnxruntime")}


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
        case "triton" if has_gpu():
            return "needs Triton's interpreter, and on a machine with a GPU the tests leave Triton its compiler"
        case "triton" if importlib.util.find_spec("triton") is None:
            return "needs Triton, which is not installed: `pip install triton`, on Linux"
        case _ if need in PACKAGES:
            absent = [name for name in PACKAGES[need] if importlib.util.find_spec(name) is None]
            return f"needs {' and '.join(absent)}, not installed: `pip install {' '.join(absent)}`" if absent else ""
        case "cuda" | "compiler" | "multiprocess" | "triton":
            return ""
    raise ValueError(f"nobody has said how to find out whether a machine has {need!r}")


def interpreter() -> dict[str, str]:
    """The variable that makes Triton interpret kernels, where there is no GPU to compile them for.

    A process has to have it before anything imports Triton, and torch._dynamo does.
    """
    return {} if has_gpu() else {"TRITON_INTERPRET": "1"}


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
