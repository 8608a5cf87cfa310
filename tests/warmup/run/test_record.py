"""Recording and comparing outputs."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from warmup.content import outputs
from warmup.run import needs
from warmup.run import record as record_module
from warmup.run.comparison import compare
from warmup.run.emulation import MACHINES
from warmup.run.result import Result
from warmup.run.runner import Runner

SCRIPTS = Path(record_module.__file__).parents[2]
RECORDED = '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\n'
MEASURED = '# /// script\n# [tool.warmup]\n# output = "measured"\n# tolerance = 0.1\n# ///\n'
PIN = outputs.recorded_torch()


def record(paths, **options):
    """One machine only: it shares its fork server with the fixture."""
    return record_module.record(paths, machines=MACHINES[:1], **options)


def recorded(code: str, text: str) -> str:
    return outputs.written(text, code, "a CPU with 2 cores", PIN, "2026-11-21")


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
    (change,) = record([path])
    assert path.with_suffix(".out").read_bytes() == b"a\r\nb"
    assert change.status == "new"
    assert compare(path, runner.run(path)) == ""
    assert "+++ junior/autograd/x.out (now)" in capsys.readouterr().out


def test_record_prints_what_changed(topic, runner, capsys):
    path = write(topic, "x", "print(1)\nprint(3)", "1\n2\n")
    (change,) = record([path])
    assert (change.status, path.with_suffix(".out").read_text()) == ("changed", "1\n3\n")
    assert change.diff.splitlines()[2:] == ["@@ -1,2 +1,2 @@", " 1", "-2", "+3"]
    assert change.diff in capsys.readouterr().out
    assert names(topic) == ["x.out", "x.py"]


def test_an_unchanged_output_is_not_touched(topic, runner):
    path = write(topic, "x", "print(1)", "1\n")
    before = path.with_suffix(".out").stat()
    (change,) = record([path], force=True)
    after = path.with_suffix(".out").stat()
    assert change.status == "unchanged"
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_failing_snippet_is_never_recorded(topic, runner, capsys):
    bad = write(topic, "bad", "print(2)\nraise ValueError('no')", "1\n")
    good = write(topic, "good", "print(2)")
    changes = record([bad, good], force=True)
    assert [change.status for change in changes] == ["failed", "new"]
    assert [change.failed for change in changes] == [True, False]
    assert bad.with_suffix(".out").read_text() == "1\n"
    assert "ValueError: no" in changes[0].message
    assert "ValueError: no" in capsys.readouterr().out


def test_a_skipped_snippet_keeps_its_output_and_says_so(topic, runner, capsys, monkeypatch):
    monkeypatch.setattr(needs, "has_gpu", lambda: False)
    path = write(topic, "x", RECORDED.replace('output = "recorded"', 'needs = "cuda"'), "# recorded on a GPU\n1\n")
    (change,) = record([path])
    assert (change.status, path.with_suffix(".out").read_text()) == ("skipped", "# recorded on a GPU\n1\n")
    assert "its recorded output stays as it is" in capsys.readouterr().out
    assert compare(path, runner.run(path)) == ""


def test_a_recorded_output_says_where_it_was_recorded(topic, runner):
    path = write(topic, "x", RECORDED + "import torch\nprint(torch.__version__)")
    record([path])
    first, version = path.with_suffix(".out").read_text().splitlines()
    day = first.split(", ")[2]
    mark = outputs.fingerprint(path.read_text(), f"{version}\n")
    assert first == f"# recorded on a CPU with {os.cpu_count()} cores, torch {version}, {day}, fingerprint {mark}"
    assert time.strptime(day, "%Y-%m-%d")
    assert compare(path, runner.run(path)) == ""


def test_a_recorded_output_needs_a_device_that_the_run_reported(topic, runner):
    path = write(topic, "x", RECORDED + "import os, sys\nprint(1)\nsys.stdout.flush()\nos._exit(0)")
    (change,) = record([path])
    assert (change.status, names(topic)) == ("failed", ["x.py"])
    assert "did not tell its device" in change.message


def test_recorded_outputs_differ_only_where_more_than_numbers_differ(topic, runner):
    path = write(topic, "x", RECORDED + "import time\nprint(f'took {time.time_ns():>24} ns')")
    record([path])
    old = path.with_suffix(".out").read_text()
    (again,) = record([path])
    assert (again.status, path.with_suffix(".out").read_text()) == ("unchanged", old)
    (forced,) = record([path], force=True)
    assert forced.status == "changed"
    assert path.with_suffix(".out").read_text() != old


def test_a_write_that_fails_keeps_the_old_output(topic, runner, monkeypatch):
    path = write(topic, "x", "print(2)", "1\n")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        record([path])
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
    main = f"""
from warmup.run.record import MACHINES, Runner, record
with Runner(imports=[]):  # whose server the recorder's own runner takes
    record([{str(path)!r}], machines=MACHINES[:1])
"""
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


def test_each_machine_is_really_played(topic, by_itself):
    path = write(
        topic,
        "x",
        """
        import os, torch
        print(torch.backends.cpu.get_cpu_capability(), torch.get_num_threads(), os.environ["PYTHONHASHSEED"], hash("x"))
    """,
    )
    done = by_itself(f"""
        from warmup.run.emulation import MACHINES
        from warmup.run.runner import Runner
        for machine in (MACHINES[0], MACHINES[-2], MACHINES[-1]):
            with Runner(environment=machine.environment, imports=["torch"]) as runner:
                print(runner.run({str(path)!r}).stdout, end="")
    """)
    assert done.returncode == 0, done.stderr
    first, other, last = (line.rsplit(" ", 3) for line in done.stdout.splitlines())
    assert (first[1:3], other[1:3], last[1:3]) == (["1", "0"], ["2", "1"], ["4", "0"])
    assert first[0] != other[0] == last[0] == "DEFAULT"
    assert first[3] == last[3] != other[3]


def test_two_environments_at_a_time_are_refused(runner):
    with pytest.raises(RuntimeError, match="leave it before"), Runner(environment={"X": "1"}):
        pass


WHERE = "import os\nprint({here!r} if os.environ.get('WHERE') is None else {there!r})"


def test_only_what_all_machines_print_is_recorded(topic, on_two_machines):
    cases = [
        ("", "loss 0.125", "loss 0.125", True),
        ("", "loss 0.125", "loss 0.126", False),
        (MEASURED, "loss 0.125", "loss 0.126", True),
        (MEASURED, "loss 0.10", "loss 0.12", False),
        (MEASURED, "loss 0.125", "cost 0.125", False),
        (MEASURED, "loss 0.125", "loss -0.125", False),
    ]
    paths = [
        write(topic, f"x{number}", header + WHERE.format(here=here, there=there))
        for number, (header, here, there, _) in enumerate(cases)
    ]
    failed, printed = on_two_machines(paths)
    for path, (_, here, there, agree), refused in zip(paths, cases, failed, strict=True):
        recorded = outputs.read(path.with_suffix(".out"))
        if agree:
            assert not refused and recorded.text == f"{here}\n", path.name
        else:
            assert refused and recorded is None, path.name
            assert f"-{here}\n+{there}\n" in printed
    assert "another machine" in printed and "Print fewer digits" in printed


def test_another_torch_than_the_pinned_one_records_nothing(topic, monkeypatch):
    monkeypatch.setattr(outputs, "recorded_torch", lambda: "9.9.9")
    path = write(topic, "x", "print(1)")
    (change,) = record([path])
    assert (change.status, names(topic)) == ("failed", ["x.py"])
    assert "outputs are recorded with 9.9.9" in change.message


def test_a_cuda_output_is_recorded_with_the_torch_at_hand(topic, monkeypatch):
    monkeypatch.setattr(outputs, "recorded_torch", lambda: "9.9.9")
    path = write(topic, "x", RECORDED.replace('output = "recorded"', 'needs = "cuda"'))
    result = Result(path, "ok", 0, stdout="1\n", torch="2.11.0+cu130", device="a GPU")
    change = record_module._record_one(result, False, "", "")
    assert change.status == "new"
    assert "on a GPU, torch 2.11.0+cu130" in path.with_suffix(".out").read_text()


def test_another_version_has_its_own_output_and_is_compared_with_it(topic, monkeypatch):
    path = write(topic, "x", "print('new words')", "old words\n")
    later = lambda text: Result(path, "ok", 0, stdout=text, torch="2.15.0+cpu", device="a CPU")  # noqa: E731
    assert compare(path, later("new words\n")) != ""
    change = record_module._record_one(later("new words\n"), False, "from-2.14", "")
    assert (change.status, names(topic)) == ("new", ["x.out", "x.py", "x.torch-from-2.14.out"])
    assert compare(path, later("new words\n")) == ""
    assert compare(path, later("old words\n")) != ""
    pinned = Result(path, "ok", 0, stdout="old words\n", torch=PIN)
    assert compare(path, pinned) == ""
    assert record_module._record_one(later("old words\n"), False, "from-2.15", "").status == "unchanged"


@pytest.mark.parametrize("variant", ["from-2.13", "before-2.15", "from-2", "since-2.14", "from-2.16"])
def test_a_variant_that_does_not_fit_the_torch_at_hand_is_refused(topic, variant):
    path = write(topic, "x", "print(1)", "1\n")
    result = Result(path, "ok", 0, stdout="2\n", torch="2.15.0", device="a CPU")
    assert record_module._record_one(result, False, variant, "").status == "failed"
    assert names(topic) == ["x.out", "x.py"]


def test_a_check_on_a_machine_names_what_differs_from_the_record_there(topic, runner):
    right, wrong = write(topic, "right", "print(1)", "1\n"), write(topic, "wrong", "print(1)", "2\n")
    ((path, difference),) = record_module.check_on(MACHINES[0], [right, wrong])
    assert path == wrong
    assert difference.splitlines()[-2:] == ["-2", "+1"]
