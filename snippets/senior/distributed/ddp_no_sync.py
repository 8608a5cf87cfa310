# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import contextlib
import gc
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def demonstrate(rank: int) -> None:
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    x = torch.full((1, 1), 1.0 + 2 * rank)
    for micro_batch in range(4):
        last = micro_batch == 3
        with contextlib.nullcontext() if last else replica.no_sync():
            replica(x).sum().backward()
        gradients = [None, None]
        dist.all_gather_object(gradients, model.weight.grad.item())
        if rank == 0:
            print(f"after micro-batch {micro_batch}: gradient per rank {gradients}")


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    demonstrate(rank)
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
