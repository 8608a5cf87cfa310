"""Nothing that a reader started outlives the tab, or the server, however either ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_page import DAEMON, PAGE, Cell

from live_server import KERNELS, alive, ask, bearer, command, descendants, end, exchange, free_port, launch, until
from warmup.project import ROOT

LOOP = "import subprocess\nsubprocess.run(['sleep', '1000'])"


def temporary(pid: int) -> Path | None:
    """The temporary folder of the server, if a process was started with one inside it."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    found = [line.removeprefix(b"TMPDIR=").decode() for line in variables if line.startswith(b"TMPDIR=")]
    return next((Path(*Path(one).parts[:3]) for one in found if one.startswith("/tmp/warmup-")), None)


def test_a_closed_tab_leaves_no_file(open_live, live):
    cell = Cell(open_live(PAGE))
    cell.run()
    [folder] = {folder for folder in map(temporary, live.descendants()) if folder}

    def of_kernels() -> list[Path]:
        return [one for one in folder.iterdir() if re.fullmatch("[0-9a-f]{8}", one.name)]

    until(lambda: len(of_kernels()) == 1, 30)  # that of the test before may be ending
    assert not list(of_kernels()[0].glob("warmup-*"))
    cell.page.close()
    until(lambda: not of_kernels(), 30)


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
    live.process.wait(30)
    until(lambda: not alive(left))
    page.close()
    if number != signal.SIGKILL:
        assert live.process.returncode == 0
        time.sleep(0.1)
        assert live.log.read_text(encoding="utf-8").count("Traceback") == 0
        assert folders and not [folder for folder in folders if folder.exists()] and not list(own.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who started a process whose parent is gone")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
def test_the_end_of_the_server_ends_daemons(start, chromium, tmp_path, number):
    live, file = start(), tmp_path / "pid"
    page = chromium.new_page()
    page.goto(f"{live.address}/{PAGE}#key={live.key()}")
    cell = Cell(page)
    cell.run()
    mark = f"open({str(file)!r}, 'w').write(str(os.getpid()))\n        time.sleep(1000)"
    cell.edit(DAEMON.replace("time.sleep(1000)", mark) + "time.sleep(1000)")
    cell.press("Run")
    until(lambda: file.exists() and file.read_text())
    left = live.descendants() | {int(file.read_text())}
    live.process.send_signal(number)
    live.process.wait(30)
    until(lambda: not alive(left))
    page.close()


FLEEING = """
import os, time
if os.fork() == 0:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if os.fork(): os._exit(0)
        os.setsid()
        open({file!r}, "a").write("x")
        time.sleep(0.001)
    os._exit(0)
time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT, signal.SIGKILL], ids=lambda one: one.name)
def test_the_end_of_the_server_ends_a_program_that_flees(start, chromium, tmp_path, number):
    live, file = start(), tmp_path / "alive"
    page = chromium.new_page()
    page.goto(f"{live.address}/{PAGE}#key={live.key()}")
    cell = Cell(page)
    cell.run()
    cell.edit(FLEEING.format(file=str(file)))
    cell.press("Run")
    until(lambda: file.exists() and file.stat().st_size)
    left = live.descendants()
    live.process.send_signal(number)
    live.process.wait(30)
    until(lambda: not alive(left))
    page.close()
    size = file.stat().st_size
    time.sleep(0.5)
    assert file.stat().st_size == size


FAILS = """
import sys
from pathlib import Path
from warmup.live import kernels, server

start, left = kernels.AsyncMappingKernelManager.start_kernel, [True]

async def broken(self, **options):
    if left:
        left.pop()
        options["env"] = {"TMPDIR": 5}
    return await start(self, **options)

kernels.AsyncMappingKernelManager.start_kernel = broken
sys.exit(server.serve(Path(sys.argv[1]), int(sys.argv[2])))
"""


def test_a_kernel_that_could_not_start_does_not_hold_up_the_end(site, tmp_path):
    live = launch(site, tmp_path / "log", words=[sys.executable, "-c", FAILS, str(site), str(free_port())])
    statuses = [ask(live, KERNELS, "POST", **bearer(live)).status for _ in range(2)]
    left = live.descendants()
    live.process.send_signal(signal.SIGINT)
    live.process.wait(30)
    end(live)
    until(lambda: not alive(left))
    assert statuses == [500, 201] and live.process.returncode == 0
    assert "gather" not in live.log.read_text(encoding="utf-8")


WITH_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_closed_terminal_ends_everything_and_leaves_no_file(site, tmp_path):
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", WITH_TERMINAL, *command(site)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "TMPDIR": str(tmp_path)},
    )
    os.close(terminal)
    said = b""
    for presses in range(3):
        if presses:
            os.write(master, b"\n")
        while said.count(b"Ctrl+C ends it") <= presses:
            said += os.read(master, 4096)
    addresses = re.findall(rb"http://127\.0\.0\.1:(\d+)/#key=([\w-]+)", said)
    assert len(set(addresses)) == 3
    live = SimpleNamespace(port=int(addresses[0][0]), address=f"http://127.0.0.1:{addresses[0][0].decode()}")
    live.token = json.loads(exchange(live, addresses[-1][1].decode()).text)["token"]
    assert ask(live, KERNELS, "POST", "{}", **bearer(live)).status == 201
    left = descendants(process.pid)
    folders = {folder for folder in map(temporary, left) if folder}
    assert folders
    os.close(master)
    process.wait(30)
    until(lambda: not alive(left))
    assert not [folder for folder in folders if folder.exists()] and not list(tmp_path.iterdir())
