# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import multiprocessing
import os
import re
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _set_pg_timeout

LOST = "connection closed by peer"


def what(error: Exception) -> str:
    """The part of gloo's message that is the same in every run."""
    text = re.sub(r"\[/.*?\] ?", "", str(error))  # a file name
    return LOST if "peer" in text else text.split(". ")[0]


def worker(rank: int, file: str, case: str, timeout: float, released) -> None:
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    dist.barrier()
    _set_pg_timeout(
        timedelta(seconds=timeout)
    )  # a job sets it in init_process_group
    if rank == 1 and case == "dies":
        print("  rank 1: ValueError: bad batch 17", flush=True)
        os._exit(1)  # the end of an uncaught exception
    if rank == 1 and case == "hangs":
        released.wait()  # stuck, for example in its data loader
        os._exit(0)
    try:
        dist.all_reduce(torch.ones(1))
    except RuntimeError as error:
        print(f"  rank 0: RuntimeError: {what(error)}", flush=True)
    os._exit(0)


def run(case: str, timeout: float) -> None:
    context = multiprocessing.get_context("fork")
    released = context.Event()
    with tempfile.TemporaryDirectory() as folder:
        arguments = f"{folder}/init", case, timeout, released
        ranks = [
            context.Process(target=worker, args=(r, *arguments)) for r in (0, 1)
        ]
        for process in ranks:
            process.start()
        ranks[0].join()
        released.set()
        ranks[1].join()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for case, timeout in (("dies", 1800), ("hangs", 0.5)):
        print(f"rank 1 {case}, timeout {timeout} s", flush=True)
        run(case, timeout)
