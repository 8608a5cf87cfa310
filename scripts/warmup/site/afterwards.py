"""Work that is done once an edit can be seen: only the next build of a served site waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger("mkdocs.hooks.warmup")
_running: list[threading.Thread] = []


def begin(work: Callable[[], None]) -> None:
    """Do this beside what goes on; an error in it is logged."""

    def guarded() -> None:
        try:
            work()
        except Exception:
            _log.exception("What follows a build was not done to its end.")

    _running.append(threading.Thread(target=guarded, name="after the build"))
    _running[-1].start()


def wait() -> None:
    """Until what was begun is done."""
    while _running:
        _running.pop().join()
