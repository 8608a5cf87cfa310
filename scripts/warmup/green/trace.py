"""Which files a test opens, which folders it lists, and what the local server opens to answer its browser.

Python tells an audit hook of each. What a fixture opens counts for all tests that use it, all else for the test during
which it was opened. A helper that keeps what it has read must therefore be a fixture.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Trace:
    """Collects paths by who opened them; a process has one that listens at a time.

    A path that ends in a slash was listed: only the names in it were seen. One of a folder that does not was given to
    another process, which may have read all that is in it.
    """

    _listening: Trace | None = None
    _hooked = False

    def __init__(self) -> None:
        self.by_owner: defaultdict[str, set[str]] = defaultdict(set)
        self._owners: list[str] = []

    def listen(self) -> None:
        Trace._listening = self
        if not Trace._hooked:
            Trace._hooked = True  # a hook cannot be taken away again
            sys.addaudithook(_heard)

    @contextmanager
    def owner(self, name: str) -> Iterator[None]:
        """While this is entered, what is opened counts for this owner."""
        self._owners.append(name)
        try:
            yield
        finally:
            self._owners.pop()

    def heard(self, event: str, arguments: tuple) -> None:
        if not self._owners:
            return
        if event == "subprocess.Popen":
            _, command, folder, _ = arguments
            # Where it works, and what it was told to work on.
            found = [one for one in command if os.path.isabs(os.fsdecode(one))]
            found += [folder] if folder is not None else []
        elif arguments[0] is None or isinstance(arguments[0], int):
            return
        else:
            found = [arguments[0]]
        end = "/" if event in ("os.listdir", "os.scandir") else ""
        for path in found:
            try:
                self.by_owner[self._owners[-1]].add(os.path.abspath(os.fsdecode(path)) + end)
            except (TypeError, ValueError):
                continue


def _heard(event: str, arguments: tuple) -> None:
    if Trace._listening and event in ("open", "os.listdir", "os.scandir", "subprocess.Popen"):
        Trace._listening.heard(event, arguments)
