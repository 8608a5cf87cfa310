"""Finding a Chromium, and what is said where there is none."""

from __future__ import annotations

import io
import subprocess

import pytest

from warmup import __main__ as command
from warmup.dev import browser


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


def test_the_shell_without_windows_comes_before_a_whole_browser(bare, tmp_path):
    program(tmp_path, "chromium")
    shell = program(tmp_path, "chromium-headless-shell")
    assert browser.find() == shell


def test_without_any_it_tries_to_install_and_then_says_what_to_do(bare):
    with pytest.raises(browser.NoChromium, match="Install Chromium or Chrome and put it on the PATH"):
        browser.ensure()
    assert bare[-1][1:] == ["-m", "playwright", "install", "chromium"]


class Terminal(io.StringIO):
    """Somebody sits there and types this."""

    def isatty(self):
        return True


@pytest.fixture
def root(bare, tmp_path, monkeypatch):
    """The same machine for root on Debian, outside CI, with nobody at the terminal."""
    program(tmp_path, "apt-get")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    for name in ("CI", "WARMUP_INSTALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return bare


def installers(runs):
    """Which of the two were run, in order, by an ``ensure`` that ends without a Chromium."""
    with pytest.raises(browser.NoChromium) as error:
        browser.ensure()
    return ["apt-get" if run == ["sh", "-c", browser.APT] else run[2] for run in runs], str(error.value)


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("CI", "1"), ("WARMUP_INSTALL", "1")])
def test_root_on_debian_is_not_asked_where_the_environment_allows_apt_get(root, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked"))
    assert installers(root)[0] == ["apt-get", "playwright"]


def test_without_leave_apt_get_is_shown_and_not_run(root, monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("asked, and nobody is there"))
    runs, error = installers(root)
    assert runs == ["playwright"]
    assert browser.APT in capsys.readouterr().out
    assert browser.APT in error and error.endswith("make test WARMUP_INSTALL=1")


@pytest.mark.parametrize(("name", "value"), [("CI", "false"), ("CI", ""), ("WARMUP_INSTALL", "0")])
def test_a_variable_that_says_no_is_a_no(root, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert installers(root)[0] == ["playwright"]


def test_a_no_outweighs_ci(root, monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("WARMUP_INSTALL", "0")
    assert installers(root)[0] == ["playwright"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("y\n", ["apt-get", "playwright"]),
        ("Yes\n", ["apt-get", "playwright"]),
        ("n\n", ["playwright"]),
        ("\n", ["playwright"]),
        ("", ["playwright"]),
    ],
)
def test_whoever_sits_at_a_terminal_is_asked_after_seeing_the_command(root, monkeypatch, answer, expected):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stdout", terminal)
    assert installers(root)[0] == expected
    text = terminal.getvalue()
    assert text.index(browser.APT) < text.index("Run it? [y/N]")


def test_who_is_not_root_gets_playwrights_own_and_no_question(root, monkeypatch, capsys):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    runs, error = installers(root)
    assert runs == ["playwright"]
    assert "apt-get" not in capsys.readouterr().out + error


def test_the_command_fails_with_the_sentence_and_no_traceback(bare, capsys):
    assert command.main(["chromium"]) == 1
    assert "There is no Chromium" in capsys.readouterr().err
