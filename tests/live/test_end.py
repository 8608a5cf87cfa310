"""Nothing that a reader started outlives the tab, or the server, however either ends."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from test_page import PAGE, Cell

from live_server import alive, until

LOOP = "import subprocess\nsubprocess.run(['sleep', '1000'])"


def temporary(pid: int) -> Path | None:
    """The temporary folder that a process was started with, if it is one of a kernel."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    found = [line.removeprefix(b"TMPDIR=").decode() for line in variables if line.startswith(b"TMPDIR=")]
    return Path(found[0]).parent if found and "warmup-" in found[0] else None


def test_a_closed_tab_leaves_no_file(open_live, live):
    cell = Cell(open_live(PAGE))
    cell.run()
    [folder] = {folder for folder in map(temporary, live.descendants()) if folder}
    assert folder.is_dir() and [one for one in folder.iterdir() if one.is_dir()]
    cell.page.close()
    until(lambda: not [one for one in folder.iterdir() if one.is_dir()], 20)


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


ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]


@pytest.mark.parametrize("number", ENDS, ids=lambda one: one.name)
def test_the_end_of_the_server_ends_everything_and_leaves_no_file(start, chromium, tmp_path, number):
    own = tmp_path / "tmp"
    own.mkdir()
    live = start(TMPDIR=str(own))
    page = chromium.new_page()
    page.goto(f"{live.address}/{PAGE}#key={live.key()}")
    looping(page, live)
    left = live.descendants()
    assert len(left) >= 4
    folders = {folder for folder in map(temporary, left) if folder}
    live.process.send_signal(number)
    live.process.wait(10)
    until(lambda: not alive(left), 10)
    page.close()
    if number != signal.SIGKILL:
        assert live.process.returncode == 0
        time.sleep(0.1)
        assert live.log.read_text(encoding="utf-8").count("Traceback") == 0
        assert folders and not [folder for folder in folders if folder.exists()] and not list(own.iterdir())
