"""The port of `make live`: drawn once for each clone, and never another one without a word."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from live_server import command, end, launch
from warmup.live import port as ports
from warmup.live import server
from warmup.project import ROOT

TOOLS = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}


def test_a_port_is_drawn_once(tmp_path):
    port, drawn = ports.own(tmp_path / "port")
    assert drawn and ports.LOWEST <= port <= ports.HIGHEST
    assert [ports.own(tmp_path / "port") for _ in range(3)] == [(port, False)] * 3


@pytest.mark.parametrize("text", ["", "eight thousand", "8000", "99999", "-1"])
def test_a_damaged_file_is_written_again(tmp_path, text):
    file = tmp_path / "port"
    file.write_text(text)
    port, drawn = ports.own(file)
    assert drawn and ports.own(file) == (port, False)


@pytest.mark.parametrize("make", [os.mkfifo, lambda file: os.symlink("nowhere", file)], ids=["a pipe", "a dead link"])
def test_what_is_no_file_is_replaced(tmp_path, make):
    file = tmp_path / "port"
    make(file)
    port, drawn = ports.own(file)
    assert drawn and not file.is_symlink() and ports.own(file) == (port, False)


def test_where_the_port_cannot_be_kept_it_says_what_to_do(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(ports, "FILE", tmp_path)
    own = ports.own
    monkeypatch.setattr(ports, "own", lambda: own(tmp_path))
    assert server.serve(tmp_path) == 1
    assert "cannot be kept" in (said := capsys.readouterr().err) and "make live PORT=" in said


@pytest.mark.parametrize("port", ["0", "-1", "65536", "70000", "x"])
def test_a_number_that_is_no_port_is_refused(port):
    command = [sys.executable, "-P", "-m", "warmup", "live", "nowhere", "--port", port]
    said = subprocess.run(command, env=TOOLS, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "Traceback" not in said.stderr and "port" in said.stderr


def test_neither_a_taken_port_nor_what_others_take_by_default_is_drawn(monkeypatch):
    taken = socket.create_server(("127.0.0.1", 0))
    free = next(port for port in range(ports.LOWEST, ports.HIGHEST) if port not in ports.DEFAULTS and ports.free(port))
    draws = iter([taken.getsockname()[1] - ports.LOWEST, *(port - ports.LOWEST for port in ports.DEFAULTS)])
    monkeypatch.setattr(ports.secrets, "randbelow", lambda _: next(draws, free - ports.LOWEST))
    with taken:
        assert ports.draw() == free


def made(*words: str, **environment: str) -> str:
    """The command that `make live` would run."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PORT", "MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", "-n", "live", *words],
        cwd=ROOT,
        env=variables | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_make_passes_on_a_port_only_if_one_is_given():
    assert "warmup live build/live" in made() and "--port" not in made()
    assert "--port 9999" in made("PORT=9999") and "--port 9999" in made(PORT="9999")


OWN = """
import sys
from pathlib import Path
from warmup.live import port, server

own = port.own
port.own = lambda: own(Path(sys.argv[2]))
sys.exit(server.serve(Path(sys.argv[1])))
"""


def test_each_start_has_the_same_port_and_the_first_one_says_so(site, tmp_path):
    words = [sys.executable, "-P", "-c", OWN, str(site), str(tmp_path / "port")]
    one = launch(site, tmp_path / "one.log", words=words)
    end(one)
    other = launch(site, tmp_path / "other.log", words=words)
    try:
        said = one.log.read_text("utf-8")
        assert f"This copy of the project uses port {one.port} from now on." in said
        assert one.port == other.port == int(Path(tmp_path, "port").read_text())
        assert "from now on" not in other.log.read_text("utf-8")
        third = subprocess.run(words, cwd=ROOT, env=TOOLS, capture_output=True, text=True, timeout=150)
        assert third.returncode == 1 and third.stdout == ""
        assert third.stderr.startswith(f"Port {one.port} is taken or reserved. Perhaps `make live` runs in another")
    finally:
        end(other)


def test_a_taken_port_is_said_with_the_command_for_a_free_one(live, site):
    result = subprocess.run(
        command(site, live.port), cwd=ROOT, env=TOOLS, capture_output=True, text=True, check=False, timeout=150
    )
    assert result.returncode == 1
    said = re.fullmatch(r"Port (\d+) is taken or reserved\. For another one: make live PORT=(\d+)\n", result.stderr)
    assert said and int(said[1]) == live.port and ports.free(int(said[2]))
    assert live.token not in result.stdout + result.stderr


def test_progress_comes_along_from_one_port_to_another(chromium, live, start, tmp_path):
    page = chromium.new_page()
    plan = "plan/?time=hours&level=junior"
    page.goto(f"{live.address}/{plan}")
    page.get_by_role("checkbox", name=re.compile("^Known: ")).first.check()
    page.goto(f"{live.address}/practice/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Write to a file").click()
    download.value.save_as(tmp_path / "progress.json")

    own = start()
    page.goto(f"{own.address}/practice/")
    expect(page.locator("#progress")).to_contain_text("0 known")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Read a file").click()
    chooser.value.set_files(tmp_path / "progress.json")
    expect(page.locator("#progress")).to_contain_text("1 known")
    page.goto(f"{own.address}/{plan}")
    expect(page.get_by_role("checkbox", name=re.compile("^Known: ")).first).to_be_checked()
    page.close()
