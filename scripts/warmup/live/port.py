"""The port of `make live`: drawn once for each clone, so that no other program's page was ever at its origin.

A page that another server once showed at the same port may have left a service worker there, which would get the
printed address. And a reader's progress belongs to the port, so it stays the same from start to start.
"""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

from warmup.project import ROOT, replace_file

FILE = ROOT / ".live-port"
FORMER = 8000  # what `make live` took before it drew one, and what `make serve` takes
# Below the ports that Linux and macOS give to outgoing connections, above most that servers take by default.
LOWEST, HIGHEST = 20_000, 32_767
DEFAULTS = frozenset({20_000, 22_222, 24_678, 25_565, 27_017, 28_015, 30_000, 32_400})


def own(file: Path = FILE) -> tuple[int, bool]:
    """The port of this clone, and whether it was drawn just now.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        port = int(file.read_text(encoding="ascii")) if file.is_file() else 0
        if LOWEST <= port <= HIGHEST:
            return port, False
    except (OSError, ValueError):
        pass  # the file was damaged
    port = draw()
    replace_file(file, f"{port}\n")
    return port, True


def draw() -> int:
    """A free port by chance."""
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST + 1)
        if port not in DEFAULTS and free(port):
            return port


def free(port: int) -> bool:
    """Whether nothing listens at a port of the loopback interface."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
