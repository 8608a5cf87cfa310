"""A Chromium for the browser tests: the machine's own, or one that this installs without a question."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

# The shell has no windows and no user interface: the tests take less than half of the time with it.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
)
# Background services of Chromium's own would make requests that no page asked for.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
MISSING = "There is no Chromium, and none could be installed."
HELP = "Put Chromium or Chrome on the PATH, or set WARMUP_CHROMIUM to its program, then run the command again."
DOWNLOAD = [sys.executable, "-m", "playwright", "install", "chromium"]
_INSTALL = "apt-get install -y -q --no-install-recommends"
# Where the system's is no package, as on Ubuntu, the downloaded one may still lack libraries of the system.
APT = (
    f"apt-get update -q && {{ {_INSTALL} chromium-headless-shell || {_INSTALL} chromium"
    f" || {sys.executable} -m playwright install-deps chromium; }}"
)
# In a process of its own: a second Playwright cannot start beside one that runs.
_OWN = (
    "from playwright.sync_api import sync_playwright as start\nwith start() as own: print(own.chromium.executable_path)"
)


class NoChromium(RuntimeError):
    """There is no Chromium and none could be installed; the message says what to do."""


def find() -> str | None:
    """Path of a Chromium: ``$WARMUP_CHROMIUM``, else one on the PATH, else Playwright's own if it starts, else None.

    Raises:
        RuntimeError: ``$WARMUP_CHROMIUM`` names no program.
    """
    if chosen := os.environ.get("WARMUP_CHROMIUM"):
        if not shutil.which(chosen):
            raise RuntimeError(f"WARMUP_CHROMIUM names {chosen!r}, which is not a program. {HELP}")
        return chosen
    return next(filter(None, map(shutil.which, NAMES)), None) or _playwrights_own()


def _playwrights_own() -> str | None:
    path = _run([sys.executable, "-c", _OWN]).stdout.strip()
    return path if os.access(path, os.X_OK) and _run([path, "--version"]).returncode == 0 else None


def ensure() -> str:
    """Path of a Chromium. If there was none: Playwright's download, else, for root with apt-get, Debian's package.

    Raises:
        NoChromium: neither worked.
    """
    if path := find():
        return path
    print("No Chromium found. Playwright downloads its own, into your home folder.", flush=True)
    done = _run(DOWNLOAD)
    if path := find():
        return path
    why = next((line for line in (done.stderr + done.stdout).splitlines() if line.startswith("Error")), "")
    print(f"That did not work. {why}".rstrip(), flush=True)
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("As root: apt-get installs chromium-headless-shell, or else chromium, for the whole machine.", flush=True)
        _run(["sh", "-c", APT])
    if path := find():
        return path
    raise NoChromium(f"{MISSING} {HELP}")


def told() -> str:
    """Which one the browser tests use, installed if there was none, or why they are skipped."""
    try:
        return f"Chromium: {ensure()}"
    except NoChromium as error:
        return f"{error} Tests that need one are skipped."


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # Nobody is asked. Where packets are dropped, five attempts to connect would take five times half a minute.
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "5000"}
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=quiet)
