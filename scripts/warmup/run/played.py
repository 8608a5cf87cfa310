"""Plays machines, two at a time, each in a process of its own: a process has one fork server, with one environment."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warmup.project import ROOT
from warmup.run.emulation import CPUS, TESTS, Machine
from warmup.run.result import Result
from warmup.run.runner import Runner

AT_A_TIME = 2


def play(
    machines: Sequence[Machine], wanted: Callable[[], list[Path]], told: Callable[[Machine, Result], None]
) -> None:
    """Run programs on each machine.

    wanted: which ones, asked when a machine's turn comes. told: gets each result, in one thread or another.

    Raises:
        RuntimeError: a player died.
    """
    players: list[subprocess.Popen[bytes]] = []

    def one(machine: Machine) -> None:
        if not (paths := wanted()):
            return
        command = [sys.executable, "-m", "warmup.run.played"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
        player = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        players.append(player)
        assert player.stdin is not None  # both are pipes
        assert player.stdout is not None
        pickle.dump((machine, paths), player.stdin)
        player.stdin.flush()  # it stays open: the player ends when this process does
        answer = player.stdout.read()
        player.stdin.close()
        player.stdout.close()
        if player.wait():
            raise RuntimeError(f"The process that played {machine.name} ended with code {player.returncode}.")
        for result in pickle.loads(answer):
            told(machine, result)

    pool = ThreadPoolExecutor(AT_A_TIME)
    try:
        for turn in [pool.submit(one, machine) for machine in machines]:
            turn.result()
    finally:
        for player in players:
            if player.poll() is None:
                player.kill()
        pool.shutdown(cancel_futures=True)


def runner_of(machine: Machine) -> Runner:
    # An emulated machine is slow: plain kernels, and more threads than there may be cores.
    return Runner(environment=machine.environment, patience=6)


def share(paths: Sequence[Path], part: str) -> list[Path]:
    """Every n-th path from the i-th on, for a part such as "1/4"; all for "".

    Raises:
        RuntimeError: there is no such part.
    """
    if not part:
        return list(paths)
    index, _, count = part.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise RuntimeError(f"{part!r} is no part: write it as 1/4.")
    return list(paths)[int(index) - 1 :: int(count)]


def claims_hold(part: str) -> bool:
    """Run the claims, or a part of their files, on each CPU."""
    files = share(sorted(file for folder in TESTS for file in (ROOT / folder).rglob("test_*.py")), part)
    held = True
    for cpu, environment in CPUS.items():
        print(f"claims on {cpu}", flush=True)
        tests = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *map(str, files)]
        held &= not subprocess.run(tests, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode
    return held


def _player(paths: Iterable[Path], machine: Machine) -> None:
    def end_with_parent() -> None:
        while os.read(0, 4096):  # no buffer: at its end the interpreter would want its lock
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    with runner_of(machine) as runner:
        pickle.dump(list(runner.run_many(paths, 1)), sys.stdout.buffer)


if __name__ == "__main__":
    played_machine, its_paths = pickle.load(sys.stdin.buffer)
    _player(its_paths, played_machine)
