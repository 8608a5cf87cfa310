"""Finding a Chromium, and what is said where there is none."""

from __future__ import annotations

import subprocess

import pytest

from warmup import __main__ as command
from warmup import browser


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any browser and without the means to install one."""
    monkeypatch.delenv("WARMUP_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "_playwrights_own", lambda: None)
    runs = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: runs.append(command))
    return runs


def program(folder, name):
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_chosen_program_comes_first(monkeypatch, tmp_path):
    chosen = program(tmp_path, "my-browser")
    monkeypatch.setenv("WARMUP_CHROMIUM", chosen)
    assert browser.find() == chosen


def test_a_chosen_program_that_is_none_is_an_error_and_not_a_fallback(monkeypatch):
    monkeypatch.setenv("WARMUP_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(browser.NoChromium, match="WARMUP_CHROMIUM names '/nowhere/chromium'"):
        browser.find()


@pytest.mark.parametrize("name", browser.NAMES)
def test_one_on_the_path_is_found_and_nothing_is_installed(bare, tmp_path, name):
    expected = program(tmp_path, name)
    assert browser.ensure() == expected
    assert bare == []


def test_without_any_it_tries_to_install_and_then_says_what_to_do(bare):
    with pytest.raises(browser.NoChromium, match="Install Chromium or Chrome and put it on the PATH"):
        browser.ensure()
    assert bare[-1][1:] == ["-m", "playwright", "install", "chromium"]


def test_apt_get_is_tried_first_by_root_on_debian(bare, tmp_path, monkeypatch):
    program(tmp_path, "apt-get")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(browser.NoChromium):
        browser.ensure()
    assert [run[0] for run in bare][0] == "sh"
    bare.clear()
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(browser.NoChromium):
        browser.ensure()
    assert all(run[0] != "sh" for run in bare)


def test_the_command_fails_with_the_sentence_and_no_traceback(bare, capsys):
    assert command.main(["chromium"]) == 1
    assert "There is no Chromium" in capsys.readouterr().err
