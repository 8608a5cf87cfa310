"""A Chromium for the browser tests: the machine's own, or one that this installs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
HELP = (
    "Install Chromium or Chrome and put it on the PATH, or set WARMUP_CHROMIUM to its program, "
    "then run the command again."
)
_INSTALL = "apt-get install -y -q --no-install-recommends"
APT = f"apt-get update -q && {{ {_INSTALL} chromium-headless-shell || {_INSTALL} chromium; }}"


class NoChromium(RuntimeError):
    """There is no Chromium and none could be installed; the message says what to do."""


def find() -> str | None:
    """Path of a Chromium: ``$WARMUP_CHROMIUM``, else one on the PATH, else Playwright's own, else None.

    Raises:
        NoChromium: ``$WARMUP_CHROMIUM`` names no program.
    """
    if chosen := os.environ.get("WARMUP_CHROMIUM"):
        if not shutil.which(chosen):
            raise NoChromium(f"WARMUP_CHROMIUM names {chosen!r}, which is not a program. {HELP}")
        return chosen
    for name in NAMES:
        if path := shutil.which(name):
            return path
    return _playwrights_own()


def _playwrights_own() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def ensure() -> str:
    """Path of a Chromium, installed if there was none: for root on Debian by apt-get, if allowed, else by Playwright.

    Raises:
        NoChromium: neither worked.
    """
    if path := find():
        return path
    print("No Chromium found.", flush=True)
    attempts = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    advice = HELP
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        if _may_install(APT):
            attempts.insert(0, ["sh", "-c", APT])
        else:
            advice += f"\nOr let this install it with\n  {APT}\nby setting WARMUP_INSTALL=1: make test WARMUP_INSTALL=1"
    for command in attempts:
        print("Running:", command[-1] if command[0] == "sh" else " ".join(command[1:]), flush=True)
        subprocess.run(command, check=False, stdout=sys.stderr)
        if path := find():
            return path
    raise NoChromium(f"There is no Chromium, and installing one failed. {advice}")


def _may_install(command: str) -> bool:
    """Whether ``command`` may change this machine: CI or ``$WARMUP_INSTALL`` says so, else who sits at the terminal."""
    if chosen := os.environ.get("WARMUP_INSTALL"):
        return _true(chosen)
    if _true(os.environ.get("CI", "")):
        return True
    print(f"This would install it for the whole machine:\n  {command}", flush=True)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("It is not run unasked; WARMUP_INSTALL=1 in the environment allows it.", flush=True)
        return False
    try:
        return input("Run it? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _true(value: str) -> bool:
    return value.lower() in ("1", "true")
