"""Which torch was seen to hold."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest

from warmup.content.versions import read
from warmup.run import versions

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_outputs" name="a"/>
<testcase classname="tests.test_outputs" name="b"><skipped/></testcase>
<testcase classname="tests.snippets.junior.test_x.TestY" name="c"/>
<testcase classname="tests.snippets.junior.test_x.TestY" name="d"/>
</testsuite></testsuites>"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()

    def run(torch, code=0):
        def pytest_run(command, **_):
            report = next(part for part in command if part.startswith("--junitxml=")).partition("=")[2]
            with open(report, "w") as file:
                file.write(REPORT)
            return SimpleNamespace(returncode=code)

        monkeypatch.setattr(subprocess, "run", pytest_run)
        monkeypatch.setattr(versions.importlib.metadata, "version", lambda name: torch)
        assert versions.see(tmp_path) == code
        return [(one.torch, one.outputs, one.claims) for one in read(tmp_path)]

    return run


def test_a_run_without_a_failure_is_noted_once_a_version_and_in_order(run):
    assert run("2.13.0+cpu") == [("2.13.0", 1, 2)]
    assert run("2.9.1") == [("2.9.1", 1, 2), ("2.13.0", 1, 2)]
    assert run("2.13.0+cpu") == [("2.9.1", 1, 2), ("2.13.0", 1, 2)]


def test_a_run_with_a_failure_is_not_noted(run):
    assert run("2.13.0", code=1) == []
