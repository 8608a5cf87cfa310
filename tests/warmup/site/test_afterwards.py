"""What follows a build is done beside it, is waited for by the next one, and says where it fails."""

from __future__ import annotations

import threading

from warmup.site import afterwards


def test_it_is_done_beside_what_goes_on_and_waited_for():
    go, done = threading.Event(), []

    def work() -> None:
        go.wait(30)
        done.append(threading.current_thread() is not threading.main_thread())

    afterwards.begin(work)
    assert done == []
    go.set()
    afterwards.wait()
    assert done == [True]
    afterwards.wait()  # with nothing begun, at once


def test_an_error_is_logged_and_does_not_stay(caplog):
    def work() -> None:
        raise ValueError("no such page")

    afterwards.begin(work)
    afterwards.wait()
    assert "was not done to its end" in caplog.text and "no such page" in caplog.text
