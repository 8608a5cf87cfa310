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
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _set_pg_timeout


def train(rank: int, cleanup: str) -> None:
    try:
        if rank == 1:
            raise ValueError("bad batch 17")
        dist.all_reduce(torch.ones(1))
    except Exception:
        if cleanup == "barrier":
            dist.barrier()  # waits for ranks that are in another collective
        raise


def worker(rank: int, file: str, cleanup: str) -> None:
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    dist.barrier()
    _set_pg_timeout(timedelta(seconds=0.5))
    try:
        train(rank, cleanup)
    except Exception as error:
        text = "its barrier failed" if isinstance(error, RuntimeError) else error
        if rank == 1:
            print(f"  rank 1 reports {type(error).__name__}: {text}", flush=True)
    os._exit(1)


def run(cleanup: str) -> None:
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        arguments = f"{folder}/init", cleanup
        ranks = [
            context.Process(target=worker, args=(r, *arguments)) for r in (0, 1)
        ]
        for process in ranks:
            process.start()
        for process in ranks:
            process.join()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for cleanup in ("raise", "barrier"):
        print(f"except: {cleanup}", flush=True)
        run(cleanup)
