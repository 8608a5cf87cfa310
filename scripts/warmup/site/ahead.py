"""Work that another process begins while this one goes on: a build has two cores and one thread of Python."""

from __future__ import annotations

import logging
import multiprocessing
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from warmup import memory

T = TypeVar("T")
# MkDocs counts what is logged below this name: with --strict, a warning fails the build.
_log = logging.getLogger("mkdocs")


def possible() -> bool:
    """Whether this process can be copied: elsewhere than on Linux, and beside other threads, that is not safe."""
    return sys.platform == "linux" and threading.active_count() == 1


def begun(work: Callable[[], T], apart: bool = True) -> Callable[[], T]:
    """Begin work in a copy of this process.

    What it changes here is lost, what it logs is logged when it is asked for, and files that it writes stay.

    Args:
        work: what to do; what it returns must be fit for pickle.
        apart: whether to do it in another process at all. Else, and where none is possible, it is done when asked for.

    Returns:
        Waits for the end, and gives what ``work`` returned.

    Raises:
        (What is returned does, where the work did: the same.)
    """
    if not (apart and possible()):
        return work
    file = tempfile.TemporaryFile()  # noqa: SIM115, it is open until the result is read

    def child() -> None:
        told = _Told()
        _log.handlers[:] = [told]
        _log.propagate = False
        made: Any = None
        failed: Exception | None = None
        try:
            made = work()
        except Exception as error:
            failed = error
        memory.save()
        pickle.dump((made, failed, told.records), file)
        file.flush()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()

    def joined() -> T:
        process.join()
        with file:
            file.seek(0)
            if process.exitcode or not (text := file.read()):
                raise RuntimeError(f"A part of the build ended with {process.exitcode}.")
        made, failed, records = pickle.loads(text)
        for name, level, message in records:
            logging.getLogger(name).log(level, "%s", message)
        if failed:
            raise failed
        return made

    return joined


class _Told(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append((record.name, record.levelno, record.getMessage()))
