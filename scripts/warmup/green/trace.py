"""Which files a test opens, which folders it lists, and what the local server opens to answer its browser.

Python tells an audit hook of each. What a test itself opens counts for its whole module, since helpers keep what they
have read; what the server opens, in threads of its own, counts for the test alone; what a fixture opens counts for all
tests that use it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Trace:
    """Collects paths, as they were opened, by who opened them; a process has one that listens at a time."""

    _listening: Trace | None = None
    _hooked = False

    def __init__(self) -> None:
        self.by_owner: defaultdict[str, set[str]] = defaultdict(set)
        self._owners: list[str] = []
        self._test = ""

    def listen(self) -> None:
        Trace._listening = self
        if not Trace._hooked:
            Trace._hooked = True  # a hook cannot be taken away again
            sys.addaudithook(_heard)

    @contextmanager
    def test(self, name: str, module: str) -> Iterator[None]:
        """While this is entered, the main thread opens for the module, all others for the test."""
        self._test = name
        with self.owner(module):
            try:
                yield
            finally:
                self._test = ""

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
            # Where it works, or what it was told to work on.
            found = [folder] if folder is not None else [one for one in command if os.path.isabs(os.fsdecode(one))]
        elif arguments[0] is None or isinstance(arguments[0], int):
            return
        else:
            found = [arguments[0]]
        main = threading.current_thread() is threading.main_thread()
        owner = self._owners[-1] if main or not self._test or len(self._owners) > 1 else self._test
        for path in found:
            try:
                self.by_owner[owner].add(os.path.abspath(os.fsdecode(path)))
            except (TypeError, ValueError):
                continue


def _heard(event: str, arguments: tuple) -> None:
    if Trace._listening and event in ("open", "os.listdir", "os.scandir", "subprocess.Popen"):
        Trace._listening.heard(event, arguments)
