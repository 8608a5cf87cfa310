"""Work that another process begins gives what it would have given here."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading

import pytest

from warmup.project import ROOT
from warmup.site.ahead import begun

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


def printed(code: str) -> str:
    """What a program prints that has one thread, as a build has; pytest's own process may have more."""
    head = "import logging, os, sys\nfrom warmup.site.ahead import begun\n"
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(code)],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


@linux
def test_it_is_done_elsewhere_and_what_it_returns_comes_back():
    code = """
        there, found = begun(lambda: (os.getpid(), {"a": [1, 2]}))()
        print(there != os.getpid(), found)
    """
    assert printed(code) == "True {'a': [1, 2]}\n"


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
def test_what_it_logs_is_logged_here_once_with_its_level_when_it_is_asked_for():
    code = """
        logging.basicConfig(format="%(name)s %(levelname)s %(message)s", stream=sys.stdout)
        join = begun(lambda: logging.getLogger("mkdocs.hooks.warmup").warning("%s of %d", "one", 2))
        print("begun", flush=True)
        join()
    """
    assert printed(code) == "begun\nmkdocs.hooks.warmup WARNING one of 2\n"


@linux
@pytest.mark.parametrize(
    ("work", "error"),
    [
        ("int('x')", "ValueError: invalid literal for int() with base 10: 'x'"),
        ("os._exit(3)", "RuntimeError: A part of"),
    ],
)
def test_an_error_there_and_a_process_that_is_gone_are_errors_here(work, error):
    code = f"""
        try:
            begun(lambda: {work})()
        except Exception as error:
            print(f"{{type(error).__name__}}: {{error}}")
    """
    assert printed(code).startswith(error)
