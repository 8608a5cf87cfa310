"""Work that another process begins gives what it would have given here."""

from __future__ import annotations

import logging
import os
import sys
import threading

import pytest

from warmup.site.ahead import begun

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


@linux
def test_it_is_done_elsewhere_and_what_it_returns_comes_back():
    there, found = begun(lambda: (os.getpid(), {"a": [1, 2]}))()
    assert there != os.getpid() and found == {"a": [1, 2]}


def test_where_it_is_not_to_be_apart_it_is_done_when_asked_for():
    done: list[int] = []
    join = begun(lambda: done.append(os.getpid()), apart=False)
    assert done == []
    join()
    assert done == [os.getpid()]


def test_beside_other_threads_it_stays_in_this_process():
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    try:
        assert begun(os.getpid)() == os.getpid()
    finally:
        wait.set()
        thread.join()


@linux
def test_what_it_logs_is_logged_here_once_with_its_level(caplog):
    join = begun(lambda: logging.getLogger("mkdocs.hooks.warmup").warning("%s of %d", "one", 2))
    assert caplog.records == []
    join()
    assert [(one.name, one.levelno, one.getMessage()) for one in caplog.records] == [
        ("mkdocs.hooks.warmup", logging.WARNING, "one of 2")
    ]


@linux
def test_an_error_there_is_raised_here():
    def fails() -> None:
        raise ValueError("no such page")

    with pytest.raises(ValueError, match="no such page"):
        begun(fails)()


@linux
def test_a_process_that_is_gone_is_an_error():
    with pytest.raises(RuntimeError, match="ended with 3"):
        begun(lambda: os._exit(3))()
