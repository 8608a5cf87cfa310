"""What the terminal of `make live` says, and what Enter does there."""

from __future__ import annotations

import contextlib
import os
import sys
from asyncio import AbstractEventLoop

from warmup.live import port as ports
from warmup.live.keys import LASTS, Keys

LATER = 1.0  # seconds until it is looked again whether the terminal is ours

FIRST = """This copy of the project uses port {port} from now on. A browser keeps your progress by port. To bring it
along from port {former}: run `make serve`, open http://127.0.0.1:{former}/practice/ and press "Write to a file".
Then run `make live`, open Practice there and press "Read a file"."""


def first(port: int) -> None:
    """Say, where a port was drawn just now, how the progress of the former one comes along."""
    print(FIRST.format(port=port, former=ports.FORMER), flush=True)


def not_kept(error: OSError) -> None:
    """Say that the port of this clone cannot be written down, and what to do."""
    print(
        f"The port cannot be kept in {ports.FILE.name} ({error.strerror}): remove that, or name one: "
        f"make live PORT={ports.draw()}",
        file=sys.stderr,
    )


def taken(port: int, own: bool) -> None:
    """Say that a port is taken, or one of those that only an administrator may open, and the command for another one.

    Args:
        own: whether it is the one of this clone.
    """
    said = f"Port {port} is taken or reserved."
    if own:
        said += " Perhaps `make live` runs in another terminal."
    said += f" For another one: make live PORT={ports.draw()}"
    print(f"{said} (your progress stays at port {port})" if own else said, file=sys.stderr)


def announce(port: int, keys: Keys) -> None:
    """Say where the site is. What follows `#` stays in the reader's browser."""
    print(
        f"Open within {LASTS:.0f} seconds, once: http://127.0.0.1:{port}/#key={keys.new()}\n"
        "Enter prints a new address, Ctrl+C ends it.",
        flush=True,
    )


def announce_on_enter(loop: AbstractEventLoop, port: int, keys: Keys, source: int = 0) -> None:
    """Print a new address for each line that somebody types; does nothing where nobody can.

    No thread waits for the line: one that still did at the end would hold up the end.

    Args:
        source: the file descriptor of what is typed.
    """

    def read() -> None:
        if _in_background(source):  # reading would stop the server, or fail at once, again and again
            loop.remove_reader(source)
            loop.call_later(LATER, wait)
            return
        try:
            typed = os.read(source, 4096)
        except OSError:
            typed = b""
        if not typed:  # there is nobody any more
            loop.remove_reader(source)
        elif b"\n" in typed:
            announce(port, keys)

    def wait() -> None:
        with contextlib.suppress(OSError, ValueError):  # a file, or closed: nobody types there
            loop.add_reader(source, read)

    wait()


def _in_background(source: int) -> bool:
    try:
        return os.tcgetpgrp(source) != os.getpgrp()
    except OSError:
        return False  # it is no terminal
