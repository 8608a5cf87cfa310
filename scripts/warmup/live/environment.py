"""The environment of the server and of what it runs: made here, not inherited.

A variable of the reader's own could turn asserts off, open a prompt at the end or put another module in the place of
one of Python's. So the command starts itself again, in a Python that takes no module from the folder it is started in,
with the variables below and no others.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence

from warmup.project import ROOT

# Where things are, how text is encoded, which GPU is meant, and what compiles.
KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|LC_\w+"
    r"|(LD|DYLD)_LIBRARY_PATH|(CUDA|NVIDIA|HIP|ROCR)_\w+|CC|CXX|SDKROOT|DEVELOPER_DIR"
)

_MADE = "WARMUP_LIVE_MADE_BY"


def made(given: Mapping[str, str]) -> dict[str, str]:
    """The variables that are passed on, with the path to these tools."""
    kept = {name: value for name, value in given.items() if KEPT.fullmatch(name)}
    return kept | {"PYTHONPATH": str(ROOT / "scripts")}


def ensure(arguments: Sequence[str]) -> None:
    """Start this Python again if it was not started as it should be; does not return then.

    Args:
        arguments: of `python -m warmup`.
    """
    if os.environ.pop(_MADE, "") == str(os.getpid()):  # which stays the same in what replaces this program
        return
    environment = made(os.environ) | {_MADE: str(os.getpid())}
    os.execve(sys.executable, [sys.executable, "-P", "-s", "-m", "warmup", *arguments], environment)
