"""Machines that are played in processes of their own, and what they confirm."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warmup.content import confirmed
from warmup.project import ROOT
from warmup.run.emulation import FINGERPRINT
from warmup.run.played import share
from warmup.testing import is_alive, wait_until

SCRIPTS = ROOT / "scripts"
RECORDED = '# /// script\n# [tool.warmup]\n# output = "recorded"\n# ///\n'


def write(topic: Path, name: str, code: str) -> Path:
    path = topic / f"{name}.py"
    path.write_text(code)
    return path


def test_what_all_machines_agree_on_is_confirmed(topic, by_itself):
    same = write(topic, "same", "import torch\nprint(torch.ones(3).sum().item())")
    vendor = write(topic, "vendor", "import torch\nprint(torch.arange(1, 99).float().log().tolist())")
    timed = write(topic, "timed", RECORDED + "print(1)")
    file = topic.parents[1] / confirmed.NAME
    done = by_itself(f"""
        from pathlib import Path
        from warmup.content import confirmed
        from warmup.run import record
        record.SNIPPETS, record.MACHINES = Path({str(file.parent)!r}), record.MACHINES[:3]
        confirmed.note.__defaults__ = (Path({str(file)!r}),)
        paths = [Path(path) for path in {[str(same), str(vendor), str(timed)]!r}]
        changes = record.record(paths, machines=record.MACHINES)
        print([change.status for change in changes])
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "['new', 'failed', 'new']"
    assert "another vendor" in done.stdout
    title, line = file.read_text().splitlines()
    assert (title.split()[-1], line) == (FINGERPRINT, confirmed.line(same))


def test_a_player_ends_with_who_started_it(topic, tmp_path):
    path = write(topic, "x", "import time\nprint('here')\ntime.sleep(60)")
    code = f"""
        import os, pickle, subprocess, sys, time
        from pathlib import Path
        from warmup.run.emulation import MACHINES
        player = subprocess.Popen([sys.executable, "-m", "warmup.run.played"], stdin=subprocess.PIPE)
        pickle.dump((MACHINES[0], [Path({str(path)!r})]), player.stdin)
        player.stdin.flush()
        print(player.pid, flush=True)
        time.sleep(2)
        os._exit(0)
    """
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=60
    )
    # The pipes are closed, so nothing holds them any more: not the player, its server, nor the snippet.
    wait_until(lambda: not is_alive(int(done.stdout)))


@pytest.mark.parametrize(("part", "found"), [("", "abcde"), ("1/2", "ace"), ("2/2", "bd"), ("5/5", "e")])
def test_a_part_takes_its_share(part, found):
    assert "".join(str(path) for path in share([Path(one) for one in "abcde"], part)) == found


@pytest.mark.parametrize("part", ["0/2", "3/2", "2", "a/b", "-1/2"])
def test_no_part_is_refused(part):
    with pytest.raises(RuntimeError, match="is no part"):
        share([], part)
