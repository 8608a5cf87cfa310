# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist

STEPS, SAMPLES, EVERY = 12, 6, 4  # samples of a step; a checkpoint every 4 steps


def newest(folder: Path) -> int:
    """The step of the newest complete checkpoint; 0 if there is none."""
    return max((int(file.stem) for file in folder.glob("*.pt")), default=0)


def worker(
    rank: int,
    ranks: int,
    folder: Path,
    attempt: int,
    beats,
    fault: Callable[[int, int, int], None],
    restore_step: bool,
) -> None:
    """One rank. What is trained is a count of how often each sample was used."""
    torch.set_num_threads(1)
    address = f"file://{folder}/init{attempt}"  # a new group for each attempt
    dist.init_process_group("gloo", address, rank=rank, world_size=ranks)
    begin, used = newest(folder), torch.zeros(STEPS * SAMPLES)
    if begin:
        used = torch.load(folder / f"{begin}.pt")
    for step in range(begin if restore_step else 0, STEPS):
        beats[rank] = time.monotonic()
        fault(rank, step, attempt)
        update = torch.zeros_like(used)
        batch = range(step * SAMPLES, (step + 1) * SAMPLES)
        update[list(batch)[rank::ranks]] = 1
        try:
            dist.all_reduce(update)
        except RuntimeError:  # another rank is dead: end, and let the agent act
            os._exit(1)
        used += update
        if (step + 1) % EVERY == 0 and rank == 0:
            torch.save(used, folder / "new.tmp")
            os.replace(folder / "new.tmp", folder / f"{step + 1}.pt")
    os._exit(0)


def agent(
    folder: Path,
    fault: Callable[[int, int, int], None] = lambda rank, step, attempt: None,
    sizes: tuple[int, ...] = (3, 3, 3, 3),
    silence_s: float = 3.0,
    restore_step: bool = True,
) -> tuple[str, list[int]]:
    """Start all ranks, watch them, and start all again when one fails.

    Args:
        fault: called by each rank in each step, to let failures happen.
        sizes: ranks of each attempt; there are no more attempts than sizes.
        silence_s: seconds without a heartbeat that count as a hang.

    Returns:
        What was noticed in the first attempt, and where each attempt began.
    """
    context = multiprocessing.get_context("fork")
    noticed, begins = [], []
    for attempt, ranks in enumerate(sizes):
        begins.append(newest(folder))
        beats = context.Array("d", [0.0] * ranks)  # 0: still starting
        rest = ranks, folder, attempt, beats, fault, restore_step
        workers = [
            context.Process(target=worker, args=(rank, *rest))
            for rank in range(ranks)
        ]
        for process in workers:
            process.start()
        while True:
            time.sleep(0.02)
            codes = [process.exitcode for process in workers]
            if all(code == 0 for code in codes):
                return noticed[0] if noticed else "nothing", begins
            if any(codes):
                noticed.append("exit code")
                break
            oldest = min(beats)
            if oldest and time.monotonic() - oldest > silence_s:
                noticed.append("silence")
                break
        for process in workers:  # all ranks, not only the one that failed
            process.kill()
            process.join()
    return noticed[0], begins


def dies(rank: int, step: int, attempt: int) -> None:
    if (rank, step, attempt) == (1, 6, 0):
        os._exit(1)


def hangs(rank: int, step: int, attempt: int) -> None:
    if (rank, step, attempt) == (1, 6, 0):
        time.sleep(3600)


def dies_each_time(rank: int, step: int, attempt: int) -> None:
    if (rank, step) == (1, 6):
        os._exit(1)


if __name__ == "__main__":
    print("failure in step 7            noticed     begins        used once")
    for name, options in {
        "none": {},
        "rank 1 dies": {"fault": dies},
        "rank 1 hangs": {"fault": hangs},
        "dies, go on with 2 ranks": {"fault": dies, "sizes": (3, 2)},
        "dies, step not restored": {"fault": dies, "restore_step": False},
        "dies each time": {"fault": dies_each_time},
    }.items():
        with tempfile.TemporaryDirectory() as folder:
            noticed, begins = agent(Path(folder), **options)
            done = Path(folder, f"{STEPS}.pt")
            used = torch.load(done) if done.exists() else None
        once = "gave up" if used is None else bool((used == 1).all())
        print(f"{name:28} {noticed:11} {begins!s:13} {once}")
