"""What the runner ends, and how: snippets that hang, print without end, die, or leave processes or files."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from warmup.run import process
from warmup.run import runner as runner_module
from warmup.run.runner import Runner
from warmup.testing import is_alive, wait_until

SCRIPTS = Path(runner_module.__file__).parents[2]


@pytest.fixture(autouse=True)
def patient_clock(monkeypatch):
    """A machine on which these tests wait is busy, whatever they are about."""
    monkeypatch.setattr(process, "CLOCK", 200)


def test_a_hanging_snippet_is_killed_with_its_children(runner, snippet):
    path = snippet("""
    import os, signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = os.fork()
    if child:
        print(os.getpid(), child)
    while True:
        pass
    """)
    result = runner.run(path, timeout=2)
    assert (result.status, result.signal, result.code) == ("timeout", "SIGKILL", None)
    assert "still ran after 2 s of processor time" in result.message
    pids = [int(pid) for pid in result.stdout.split()]
    assert len(pids) == 2
    wait_until(lambda: not any(map(is_alive, pids)))


def test_a_limit_counts_processor_time_so_waiting_is_no_fault(runner, snippet):
    result = runner.run(snippet("import time\ntime.sleep(2)\nprint('awake')"), timeout=1)
    assert (result.status, result.stdout) == ("ok", "awake\n")


def test_who_waits_for_ever_is_stopped_by_the_clock_which_is_no_verdict(runner, snippet, monkeypatch):
    monkeypatch.setattr(process, "CLOCK", 5)
    result = runner.run(snippet("import time\ntime.sleep(600)"), timeout=0.3)
    assert (result.status, result.signal) == ("late", "SIGKILL")
    assert "was stopped after 1.5 s, your machine may be busy" in result.message


BURNERS = """
import os, sys, time
for _ in range(3):
    if not os.fork():
        end = time.process_time() + 1
        while time.process_time() < end: pass
        os._exit(0)
{then}
while True: time.sleep(1)
"""


@pytest.mark.parametrize("then", ["", "for _ in range(3): os.wait()"])
def test_a_limit_counts_all_children_together_those_that_ended_too(runner, snippet, then):
    path = snippet(BURNERS.format(then=then))
    assert runner.run(path, timeout=2).status == "timeout"  # of 3 s, of which no process uses 2


def test_where_nothing_tells_the_processor_time_the_clock_counts(runner, snippet, monkeypatch):
    monkeypatch.setattr(process, "cpu_seconds", lambda pid: None)
    monkeypatch.setattr(process, "CLOCK", 5)
    assert runner.run(snippet("while True: pass"), timeout=0.3).status == "late"
    assert runner.run(snippet("import time\ntime.sleep(1)"), timeout=100).status == "ok"


def test_judges_and_checks_count_as_the_runner_does():
    theirs = SCRIPTS.parent / "snippets/practice/watching.py"
    assert Path(process.cpu_seconds.__code__.co_filename) == theirs


def test_the_timeout_of_the_header_counts(runner, snippet):
    result = runner.run(snippet("# /// script\n# [tool.warmup]\n# timeout = 0.3\n# ///\nwhile True: pass\n"))
    assert (result.status, "after 0.3 s" in result.message) == ("timeout", True)


def test_a_segfault_is_reported_with_its_signal(runner, snippet):
    result = runner.run(snippet("import ctypes\nprint('before')\nctypes.string_at(0)"))
    assert (result.status, result.signal, result.code, result.stdout) == (
        "signal",
        "SIGSEGV",
        None,
        "before\n",
    )
    assert "died by SIGSEGV (Segmentation fault)" in result.message


def test_gigabytes_of_output_are_cut_off(runner, snippet):
    result = runner.run(snippet("while True:\n    print('x' * 999)"))
    assert (result.status, result.signal) == ("output-limit", "SIGKILL")
    assert len(result.stdout) == runner_module.OUTPUT_LIMIT
    assert result.stdout.startswith("x" * 999 + "\n")


def test_output_up_to_the_limit_is_kept_whole(snippet, runner):
    size = runner_module.OUTPUT_LIMIT
    result = runner.run(snippet(f"import sys\nsys.stdout.write('x' * {size})\nsys.stderr.write('y' * {size})"))
    assert (result.status, len(result.stdout), len(result.stderr)) == ("ok", size, size)


def test_left_children_are_reported_and_killed(runner, snippet):
    result = runner.run(
        snippet("""
        import subprocess
        print(*[subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL).pid for _ in range(2)])
        """)
    )
    assert (result.status, result.code) == ("left-children", 0)
    assert "left 2 processes running" in result.message
    wait_until(lambda: not any(is_alive(int(pid)) for pid in result.stdout.split()))


def test_children_that_end_within_the_grace_are_fine(runner, snippet):
    path = snippet("import subprocess\nsubprocess.Popen('sleep 0.2; echo late', shell=True)")
    with Runner(grace=60) as patient:
        result = patient.run(path)
    assert (result.status, result.stdout) == ("ok", "late\n")


def test_a_process_in_its_own_session_cannot_hang_the_reader_by_keeping_the_pipe_open(runner, snippet):
    result = runner.run(
        snippet("""
        import subprocess
        print(subprocess.Popen(["sleep", "60"], start_new_session=True).pid, flush=True)
        """)
    )
    pid = int(result.stdout)
    try:
        assert result.status == "left-children"
        assert "session of its own, not killed" in result.message
    finally:
        os.kill(pid, signal.SIGKILL)


def test_run_many_that_is_left_early_kills_what_runs(runner, snippet, tmp_path):
    hanging = snippet(
        """
        import os, pathlib, time
        path = pathlib.Path(__file__)
        path.with_suffix(".new").write_text(str(os.getpid()))
        path.with_suffix(".new").rename(path.with_suffix(".pid"))
        time.sleep(60)
        """,
        "hanging",
    )
    pid_file = hanging.with_suffix(".pid")
    waiting = f"import os, time\nwhile not os.path.exists({str(pid_file)!r}): time.sleep(0.01)\n"
    results = runner.run_many([hanging, snippet(waiting, "quick")], workers=2)
    assert next(results).status == "ok"
    results.close()
    wait_until(lambda: not is_alive(int(pid_file.read_text())))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_snippet_outlives_its_runner(snippet, number):
    path = snippet("""
    import os, pathlib, signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    new = pathlib.Path(__file__).with_suffix(".new")
    new.write_text(f"{os.getpid()} {os.getppid()}")
    new.rename(new.with_suffix(".pid"))
    while True:
        time.sleep(1)
    """)
    pid_file = path.with_suffix(".pid")
    code = f"from warmup.run.runner import Runner\nwith Runner(imports=[]) as r: list(r.run_many([{str(path)!r}]))"
    # A killed runner cannot remove its folders; a socket lies there too, so the path must be short.
    with tempfile.TemporaryDirectory() as temporary:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(SCRIPTS), "TMPDIR": temporary},
            stderr=subprocess.DEVNULL,
        )
        with process:
            wait_until(pid_file.exists, 60)
            process.send_signal(number)
            process.wait(30)
    pids = [int(pid) for pid in pid_file.read_text().split()]  # the snippet and the fork server
    wait_until(lambda: not any(map(is_alive, pids)))


def test_a_temporary_folder_is_the_runs_own_and_ends_with_it(runner, snippet):
    told = runner.run(
        snippet("""
        import os, subprocess, sys, tempfile
        print(tempfile.gettempdir(), tempfile.mkdtemp(), os.getcwd(), os.environ["TORCHINDUCTOR_CACHE_DIR"])
        subprocess.run([sys.executable, "-c", "import tempfile; print(tempfile.mkdtemp())"])
        """)
    ).stdout.split()
    folder, one, work, compiled, other = map(Path, told)
    assert one.parent == other.parent == folder and folder.parent == work.parent
    assert not work.parent.exists()
    assert compiled.parent != folder  # or each run would compile again


@pytest.mark.parametrize("name", ["drawing.svg", "report.json"])
@pytest.mark.parametrize("code", ["os.mkfifo({0})", "os.symlink('/dev/zero', {0})", "os.mkdir({0})"])
def test_what_is_no_file_in_place_of_a_report_holds_nothing_up(runner, snippet, name, code):
    line = code.format(repr(f"../{name}"))
    result = runner.run(snippet(f"import os\n{line}\nprint(7, flush=True)\nos._exit(0)"))
    assert (result.status, result.stdout, result.drawing, result.torch) == ("ok", "7\n", "", "")


@pytest.mark.parametrize(
    "report",
    ["[]", "5", "null", "[" * 100_000, '{"torch": 5, "device": ["x"]}', '{"torch": "\\ud800"}', '{"device": "<b>"}'],
    ids=lambda report: report[:20],
)
def test_an_odd_report_says_nothing(runner, snippet, report):
    code = f"import os\nopen('../report.json', 'w').write({report!r})\nprint(7, flush=True)\nos._exit(0)"
    result = runner.run(snippet(code))
    assert (result.status, result.stdout, result.torch, result.device) == ("ok", "7\n", "", "")
