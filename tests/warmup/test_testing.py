"""What workers share is made once, and no worker waits for one that failed or died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from warmup.project import ROOT
from warmup.testing import once


def test_the_first_makes_it_and_all_others_wait_for_it(tmp_path):
    made, found = [], []
    entered, finish = threading.Event(), threading.Event()

    def make():
        made.append(1)
        entered.set()
        assert finish.wait(60)
        return "ä"

    workers = [threading.Thread(target=lambda: found.append(once(tmp_path / "it", make))) for _ in range(4)]
    workers[0].start()
    assert entered.wait(60)
    for worker in workers[1:]:
        worker.start()
    workers[1].join(0.2)
    assert not found
    finish.set()
    for worker in workers:
        worker.join(60)
    assert found == ["ä"] * 4
    assert made == [1]


def test_an_empty_text_is_made_once_too(tmp_path):
    assert once(tmp_path / "it", lambda: "") == ""
    assert once(tmp_path / "it", lambda: "again") == ""


def test_what_failed_is_reported_to_all_and_not_tried_again(tmp_path):
    tries = []

    def fail():
        tries.append(1)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        once(tmp_path / "it", fail)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="first to make it failed, or died"):
            once(tmp_path / "it", fail)
    assert tries == [1]


def test_nobody_waits_for_a_worker_that_was_killed(tmp_path):
    code = (
        "import pathlib, sys, time; from warmup.testing import once\n"
        "once(pathlib.Path(sys.argv[1]), lambda: print('begun', flush=True) or time.sleep(600))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "it")],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
    ) as worker:
        assert worker.stdout.readline() == b"begun\n"
        worker.send_signal(signal.SIGKILL)
    with pytest.raises(RuntimeError, match="failed, or died"):
        once(tmp_path / "it", lambda: "mine")
