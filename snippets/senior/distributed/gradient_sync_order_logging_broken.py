# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import re
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def step(rank: int) -> None:
    """The end of a training step, where only rank 0 logs its loss."""
    loss, gradient = torch.tensor([0.5]), torch.ones(3)
    if rank == 0:
        dist.all_reduce(loss)  # rank 1 never calls this
    dist.all_reduce(gradient)


def worker(rank: int, folder: str) -> None:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
    dist.init_process_group(
        "gloo",
        f"file://{folder}/init",
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=5),
    )
    try:
        step(rank)
    except RuntimeError as error:
        if rank == 0:
            print(f"RuntimeError: {str(error).split('. ')[0]}.")
            for who, shape in re.findall(
                r"[Rr]ank (\d) is running collective.*?TensorShape=(\[\d*\])",
                str(error),
            ):
                print(f"  Rank {who}: ALLREDUCE, TensorShape={shape}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (folder,), 2, start_method="fork")
