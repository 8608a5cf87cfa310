"""Nothing that a reader started outlives the tab, or the server, however either ends."""

from __future__ import annotations

import signal
import time

import pytest
from test_page import PAGE, Cell

from live_server import alive, until

LOOP = "import subprocess\nsubprocess.run(['sleep', '1000'])"


def looping(page, live) -> Cell:
    """A program that has started a process and would not end by itself."""
    cell = Cell(page)
    cell.run()
    before = live.descendants()
    cell.edit(LOOP)
    cell.press("Run")
    until(lambda: len(live.descendants()) >= len(before) + 2)
    return cell


def test_a_closed_tab_ends_what_it_ran_at_once_and_its_kernel_soon(open_live, live):
    before = live.descendants()
    cell = looping(open_live(PAGE), live)
    running = len(live.descendants())
    cell.page.close()
    until(lambda: len(live.descendants()) <= running - 2, 3)
    until(lambda: live.descendants() <= before, 20)


def test_another_page_ends_what_the_last_one_ran(open_live, live):
    cell = looping(open_live(PAGE), live)
    running = len(live.descendants())
    cell.page.goto(f"{live.address}/junior/")
    until(lambda: len(live.descendants()) <= running - 2, 3)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
def test_the_end_of_the_server_ends_everything(start, chromium, number):
    live = start()
    page = chromium.new_page()
    page.goto(f"{live.address}/{PAGE}#token={live.token}")
    looping(page, live)
    left = live.descendants()
    assert len(left) >= 4
    live.process.send_signal(number)
    live.process.wait(10)
    until(lambda: not alive(left), 10)
    page.close()
    if number != signal.SIGKILL:
        assert live.process.returncode == 0
        time.sleep(0.1)
        assert live.log.read_text(encoding="utf-8").count("Traceback") == 0
