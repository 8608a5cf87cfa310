"""Recording and comparing outputs."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from warmup import record as record_module
from warmup import runner as runner_module
from warmup.record import compare, record
from warmup.runner import Result, Runner

SCRIPTS = Path(record_module.__file__).parents[1]
RECORDED = '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\n'


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


@pytest.fixture
def topic(tmp_path):
    folder = tmp_path / "snippets/junior/autograd"
    folder.mkdir(parents=True)
    return folder


def write(topic: Path, name: str, code: str, out: str | None = None) -> Path:
    path = topic / f"{name}.py"
    path.write_text(textwrap.dedent(code))
    if out is not None:
        path.with_suffix(".out").write_text(out)
    return path


def names(topic: Path) -> list[str]:
    return sorted(path.name for path in topic.iterdir())


def test_record_writes_exactly_what_the_snippet_printed(topic, runner, capsys):
    path = write(topic, "x", "print('a\\r\\nb', end='')")
    (change,) = record([path], runner)
    assert path.with_suffix(".out").read_bytes() == b"a\r\nb"
    assert change.status == "new"
    assert compare(path, runner.run(path)) == ""
    assert "+++ junior/autograd/x.out (now)" in capsys.readouterr().out


def test_record_prints_what_changed(topic, runner, capsys):
    path = write(topic, "x", "print(1)\nprint(3)", "1\n2\n")
    (change,) = record([path], runner)
    assert (change.status, path.with_suffix(".out").read_text()) == ("changed", "1\n3\n")
    assert change.diff.splitlines()[2:] == ["@@ -1,2 +1,2 @@", " 1", "-2", "+3"]
    assert change.diff in capsys.readouterr().out
    assert names(topic) == ["x.out", "x.py"]


def test_an_unchanged_output_is_not_touched(topic, runner):
    path = write(topic, "x", "print(1)", "1\n")
    before = path.with_suffix(".out").stat()
    (change,) = record([path], runner, force=True)
    after = path.with_suffix(".out").stat()
    assert change.status == "unchanged"
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_failing_snippet_is_never_recorded(topic, runner, capsys):
    bad = write(topic, "bad", "print(2)\nraise ValueError('no')", "1\n")
    good = write(topic, "good", "print(2)")
    changes = record([bad, good], runner, force=True)
    assert [change.status for change in changes] == ["failed", "new"]
    assert [change.failed for change in changes] == [True, False]
    assert bad.with_suffix(".out").read_text() == "1\n"
    assert "ValueError: no" in changes[0].message
    assert "ValueError: no" in capsys.readouterr().out


def test_a_skipped_snippet_keeps_its_output_and_says_so(topic, runner, capsys, monkeypatch):
    monkeypatch.setattr(runner_module, "has_gpu", lambda: False)
    path = write(
        topic, "x", RECORDED.replace('output = "recorded"', 'needs = "cuda"'), "# recorded on a GPU\n1\n"
    )
    (change,) = record([path], runner)
    assert (change.status, path.with_suffix(".out").read_text()) == ("skipped", "# recorded on a GPU\n1\n")
    assert "its recorded output stays as it is" in capsys.readouterr().out
    assert compare(path, runner.run(path)) == ""


def test_a_recorded_output_says_where_it_was_recorded(topic, runner):
    path = write(topic, "x", RECORDED + "import torch\nprint(torch.__version__)")
    record([path], runner)
    first, version = path.with_suffix(".out").read_text().splitlines()
    day = first.rpartition(", ")[2]
    assert first == f"# recorded on a CPU with {os.cpu_count()} cores, torch {version}, {day}"
    assert time.strptime(day, "%Y-%m-%d")
    assert compare(path, runner.run(path)) == ""


def test_a_recorded_output_needs_a_device_that_the_run_reported(topic, runner):
    path = write(topic, "x", RECORDED + "import os, sys\nprint(1)\nsys.stdout.flush()\nos._exit(0)")
    (change,) = record([path], runner)
    assert (change.status, names(topic)) == ("failed", ["x.py"])
    assert "did not tell its device" in change.message


def test_recorded_outputs_differ_only_where_more_than_numbers_differ(topic, runner):
    path = write(topic, "x", RECORDED + "import time\nprint(f'took {time.time_ns():>24} ns')")
    record([path], runner)
    old = path.with_suffix(".out").read_text()
    (again,) = record([path], runner)
    assert (again.status, path.with_suffix(".out").read_text()) == ("unchanged", old)
    (forced,) = record([path], runner, force=True)
    assert forced.status == "changed"
    assert path.with_suffix(".out").read_text() != old


@pytest.mark.parametrize(
    ("recorded", "fresh", "same"),
    [
        ("took 1.25e-03 s", "took 98 s", True),
        ("|  9.5 |", "| 10.5 |", True),
        ("tensor([1., 2.])", "tensor([1.5, 2.25])", True),
        ("12 ms", "12 s", False),
        ("0.5", "-0.5", False),
        ("1 2", "1", False),
    ],
)
def test_numbers_are_masked_in_recorded_outputs(topic, recorded, fresh, same):
    path = write(
        topic, "x", RECORDED, f"# recorded on a CPU with 2 cores, torch 2.13.0, 2026-11-21\n{recorded}\n"
    )
    difference = compare(path, Result(path, "ok", 0, stdout=f"{fresh}\n"))
    assert (difference == "") == same, difference


def test_a_recorded_output_without_its_first_line_does_not_pass(topic):
    path = write(topic, "x", RECORDED, "1\n")
    message = compare(path, Result(path, "ok", 0, stdout="1\n"))
    assert message.endswith("does not say where it was recorded: run make record Q=junior/autograd/x")


def test_exact_outputs_are_compared_to_the_last_byte(topic):
    path = write(topic, "x", "", "0.5\n")
    assert compare(path, Result(path, "ok", 0, stdout="0.5\n")) == ""
    assert compare(path, Result(path, "ok", 0, stdout="0.5")).endswith("+0.5\n\\ No newline at end of file\n")
    lines = compare(path, Result(path, "ok", 0, stdout="0.6\n")).splitlines()
    assert lines[0] == "--- junior/autograd/x.out (recorded)"
    assert lines[-2:] == ["-0.5", "+0.6"]


def test_a_run_that_failed_does_not_agree_with_anything(topic):
    path = write(topic, "x", "", "")
    assert compare(path, Result(path, "failed", 1, message="it failed")) == "it failed"


def test_no_recorded_output_says_the_command(topic):
    path = write(topic, "x", "")
    assert compare(path, Result(path, "ok", 0)) == "no recorded output: run make record Q=junior/autograd/x"


def test_a_write_that_fails_keeps_the_old_output(topic, runner, monkeypatch):
    path = write(topic, "x", "print(2)", "1\n")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(record_module.os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        record([path], runner)
    assert (path.with_suffix(".out").read_text(), names(topic)) == ("1\n", ["x.out", "x.py"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_record_keeps_the_old_output(topic, tmp_path, number):
    started = tmp_path / "started"
    code = f"""
    import pathlib, time
    print("new", flush=True)
    pathlib.Path({str(started)!r}).touch()
    time.sleep(60)
    """
    path = write(topic, "x", code, "old\n")
    main = (
        "from warmup.record import record\nfrom warmup.runner import Runner\n"
        f"with Runner() as runner:\n    record([{str(path)!r}], runner)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", main],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        deadline = time.monotonic() + 60
        while not started.exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
    assert path.with_suffix(".out").read_text() == "old\n"
    assert names(topic) == ["x.out", "x.py"]
