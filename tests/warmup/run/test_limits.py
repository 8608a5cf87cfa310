"""What a program may take of its reader's machine, and that nothing that it started outlives it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from warmup.run import limits
from warmup.run.limits import Limits
from warmup.run.runner import Runner
from warmup.testing import is_alive, wait_until

SMALL = Limits(memory=900 * 2**20, processes=5, file=2**20)
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what other processes take")

ALONE = "held = []\nwhile len(held) < 300: held.append(bytearray(b'1') * 10_000_000)"
TOGETHER = """
import os, time
for _ in range(3):
    if not os.fork():
        held = bytearray(b'1') * 400_000_000
        time.sleep(100)
time.sleep(100)
"""
SHARED = """
import os, time
held = bytearray(b'1') * 300_000_000
for _ in range(4):
    if not os.fork():
        time.sleep(1)
        os._exit(0)
for _ in range(4): os.wait()
"""


@linux
@pytest.mark.parametrize("code", [ALONE, TOGETHER], ids=["alone", "together"])
def test_a_program_that_takes_too_much_memory_is_stopped(snippet, code):
    with Runner(limits=SMALL) as limited:
        result = limited.run(snippet(code))
    assert (result.status, result.signal) == ("memory-limit", "SIGKILL")
    assert "took more of this machine than a program may" in result.message


@linux
def test_memory_that_forked_processes_share_counts_once(snippet):
    with Runner(limits=SMALL) as limited:
        assert limited.run(snippet(SHARED)).status == "ok"


@linux
def test_a_program_with_too_many_processes_is_stopped_with_all_of_them(snippet, tmp_path):
    code = f"""
    import os, time
    for number in range(30):
        if not os.fork():
            open({str(tmp_path)!r} + f"/pid-{{os.getpid()}}", "w")
            time.sleep(100)
        time.sleep(0.02)
    time.sleep(100)
    """
    with Runner(limits=SMALL) as limited:
        result = limited.run(snippet(code))
    assert result.status == "process-limit"
    pids = [int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")]
    assert len(pids) >= SMALL.processes
    wait_until(lambda: not any(map(is_alive, pids)))


def test_a_program_that_writes_too_large_a_file_is_ended(snippet):
    with Runner(limits=SMALL) as limited:
        result = limited.run(snippet("with open('a', 'wb') as file:\n    file.write(bytes(2 ** 20 + 1))"))
        assert (result.status, result.signal) == ("signal", "SIGXFSZ")
        assert limited.run(snippet("with open('a', 'wb') as file:\n    file.write(bytes(2 ** 20))")).status == "ok"


def test_where_the_machine_is_ours_there_are_none(runner, snippet):
    assert runner.run(snippet("with open('a', 'wb') as file:\n    file.write(bytes(2 ** 21))")).status == "ok"


def test_a_limit_of_the_container_counts(monkeypatch, tmp_path):
    whole = Limits.of_this_machine().memory
    monkeypatch.setattr(limits, "CONTAINER", (str(tmp_path / "none"), str(tmp_path / "max")))
    for text, memory in (("max\n", None), ("1000\n", 750)):
        Path(tmp_path, "max").write_text(text)
        found = Limits.of_this_machine().memory
        assert found == memory if memory else found >= whole


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {streams}
        open({file!r}, "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
os.wait()
while not os.path.exists({file!r}) or not open({file!r}).read(): time.sleep(0.01)
"""
RUN = """
from pathlib import Path
from warmup.run import orphans
from warmup.run.runner import Runner

orphans.adopt()
with Runner(imports=()) as runner:
    result = runner.run(Path({path!r}))
    print(result.status, result.message)
"""


@linux
@pytest.mark.parametrize("streams", ["pass", "os.closerange(0, 3)"], ids=["with pipes", "silent"])
def test_whoever_adopts_ends_daemons(by_itself, snippet, tmp_path, streams):
    file = tmp_path / "pid"
    path = snippet(DAEMON.format(streams=streams, file=str(file)))
    said = by_itself(RUN.format(path=str(path)))
    assert said.stdout.startswith("left-children ") and "(killed)" in said.stdout, said
    assert not is_alive(int(file.read_text()))


# Each process starts the next one and ends: what is looked up is gone when it is to be ended.
FLEEING = """
import os, time
if os.fork() == 0:
    os.setsid()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if os.fork(): os._exit(0)
        if {always}: os.setsid()
        with open({file!r}, "a") as file: file.write("x")  # each file that is left open would print a warning
        time.sleep({pause})
    os._exit(0)
while not os.path.exists({file!r}): time.sleep(0.01)
time.sleep({waits})
"""


@linux
@pytest.mark.parametrize("always", [False, True], ids=["one group", "a group each"])
@pytest.mark.parametrize("pause", [0, 0.001, 0.01])
def test_whoever_adopts_ends_a_program_that_flees(by_itself, snippet, tmp_path, always, pause):
    file = tmp_path / "alive"
    path = snippet(FLEEING.format(file=str(file), always=always, pause=pause, waits=0.2))
    said = by_itself(RUN.format(path=str(path)))
    assert said.returncode == 0 and said.stdout.startswith("left-children "), said
    size = file.stat().st_size
    time.sleep(0.5)
    assert size > 0 and file.stat().st_size == size


@linux
def test_processes_that_have_ended_count_too(by_itself, snippet, tmp_path):
    path = snippet(FLEEING.format(file=str(tmp_path / "alive"), always=True, pause=0.01, waits=30))
    said = by_itself(f"""
    import os
    from pathlib import Path
    from warmup.run import orphans
    from warmup.run.limits import Limits
    from warmup.run.runner import Runner

    orphans.adopt()
    with Runner(imports=(), limits=Limits(memory=2**33, processes=5, file=2**20)) as runner:
        print(runner.run(Path({str(path)!r})).status)
    print([one for one in orphans.seen().values() if one.parent == os.getpid() and one.dead])
    """)
    assert said.stdout == "process-limit\n[]\n", said


@linux
def test_what_was_adopted_and_ended_leaves_no_zombie(by_itself):
    said = by_itself("""
    import os, time
    from warmup.run import orphans

    orphans.adopt()
    for _ in range(5):
        if not os.fork():
            if not os.fork():
                time.sleep(0.2)
            os._exit(0)
    time.sleep(1)
    orphans.end(())
    print([pid for pid, one in orphans.seen().items() if one.parent == os.getpid()])
    """)
    assert said.stdout == "[]\n", said
