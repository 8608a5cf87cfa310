# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import gc
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def demonstrate(rank: int) -> None:
    torch.manual_seed(rank)  # every rank starts with its own weight
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    x = torch.tensor([[[1.0]], [[3.0]]])[rank]  # every rank has its own sample
    replica(x).sum().backward()  # the gradient of w * x is x
    seen = [None, None]
    dist.all_gather_object(seen, (model.weight.item(), model.weight.grad.item()))
    if rank == 0:
        for other, (weight, gradient) in enumerate(seen):
            print(f"rank {other}: weight {weight:.4f}, gradient {gradient}")


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    demonstrate(rank)
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
