"""Finding a Chromium without a question, and what is said where there is none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from warmup import __main__ as command
from warmup.dev import browser
from warmup.project import ROOT


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any browser and without the means to install one."""
    monkeypatch.delenv("WARMUP_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "_playwrights_own", lambda: None)
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
    runs = []

    def run(command, **_):
        runs.append(command)
        return subprocess.CompletedProcess(command, 1, "", "Error: no network")

    monkeypatch.setattr(subprocess, "run", run)
    return runs


def program(folder, name, does=""):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return str(path)


def test_the_chosen_program_comes_first_and_is_an_error_where_it_is_none(monkeypatch, tmp_path):
    chosen = program(tmp_path, "my-browser")
    monkeypatch.setenv("WARMUP_CHROMIUM", chosen)
    assert browser.find() == chosen
    monkeypatch.setenv("WARMUP_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(RuntimeError, match="WARMUP_CHROMIUM names '/nowhere/chromium'"):
        browser.find()
    assert command.main(["chromium"]) == 1


@pytest.mark.parametrize("name", browser.NAMES)
def test_one_on_the_path_is_found_and_nothing_is_installed(bare, tmp_path, name):
    expected = program(tmp_path, name)
    assert browser.ensure() == expected
    assert bare == []


def test_the_shell_without_windows_comes_before_a_whole_browser(bare, tmp_path):
    program(tmp_path, "chromium")
    shell = program(tmp_path, "chromium-headless-shell")
    assert browser.find() == shell


@pytest.mark.parametrize(("starts", "does"), [(True, "echo Chromium 159"), (False, "exit 127")])
def test_a_downloaded_one_counts_only_if_it_starts(monkeypatch, tmp_path, starts, does):
    monkeypatch.setattr(browser, "_OWN", f"print({program(tmp_path, 'chrome', does)!r})")
    assert (browser._playwrights_own() is not None) == starts


@pytest.mark.parametrize(
    ("user", "installers"), [(0, [browser.DOWNLOAD, ["sh", "-c", browser.APT]]), (1000, [browser.DOWNLOAD])]
)
def test_only_root_gets_debians_after_playwrights_and_reads_it(bare, tmp_path, monkeypatch, capsys, user, installers):
    program(tmp_path, "apt-get")
    monkeypatch.setattr("os.geteuid", lambda: user)
    with pytest.raises(browser.NoChromium, match="Put Chromium or Chrome on the PATH"):
        browser.ensure()
    assert bare == installers
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "That did not work. Error: no network"
    assert (
        said[2:]
        == ["As root: apt-get installs chromium-headless-shell, or else chromium, for the whole machine."][user:]
    )


def test_no_installer_can_wait_for_an_answer(tmp_path):
    done = browser._run(["sh", "-c", "read answer; echo $? $DEBIAN_FRONTEND"])
    assert done.stdout == "1 noninteractive\n"


def test_without_one_the_command_says_so_and_lets_the_tests_run(bare, capsys):
    assert command.main(["chromium"]) == 0
    assert capsys.readouterr().out.endswith(f"{browser.HELP} Tests that need one are skipped.\n")


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_last_line_says_how_many_tests_did_not_run_which_only_ci_takes_for_an_error(tmp_path, workers, ci, code):
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom warmup.dev import browser\n"
        "@pytest.fixture(scope='session')\ndef chromium():\n    pytest.skip(browser.MISSING)\n"
        "@pytest.mark.parametrize('n', range(3))\ndef test_page(chromium, n): pass\n"
        "def test_other(): pass\n@pytest.mark.skip(reason='no GPU')\ndef test_gpu(): pass\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-n",
            workers,
            "-c",
            "pytest.ini",
            "test_it.py",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 passed, 4 skipped" in done.stdout
    assert done.stdout.splitlines()[-1] == f"3 tests did not run. {browser.MISSING} {browser.HELP}"
    assert done.returncode == code
