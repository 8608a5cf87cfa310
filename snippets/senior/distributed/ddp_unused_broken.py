# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import gc
import tempfile
import textwrap

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoHeads(nn.Module):
    """Two linear heads on the same input; ``forward(x, head)`` runs one of them."""

    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(1, 1, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor, head: int) -> torch.Tensor:
        return self.heads[head](x)


def demonstrate(rank: int, world_size: int) -> None:
    x = torch.full((1, 1), rank + 1.0)
    for find_unused in (True, False):
        replica = DistributedDataParallel(
            TwoHeads(), find_unused_parameters=find_unused
        )
        replica(x, head=0).sum().backward()
        gradients = [None] * world_size
        dist.all_gather_object(
            gradients, replica.module.heads[0].weight.grad.item()
        )
        if rank == 0:
            print(f"find_unused_parameters={find_unused}: gradients {gradients}")
        try:
            replica(x, head=0)
        except RuntimeError as error:
            if rank == 0:
                sentences = str(error).split(". ")
                print(*textwrap.wrap(f"RuntimeError: {sentences[0]}", 80), sep="\n")
                for line in str(error).splitlines():
                    if line.startswith("Parameter indices"):
                        print(line)


def worker(rank: int, world_size: int, init_file: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{init_file}", rank=rank, world_size=world_size
    )
    demonstrate(rank, world_size)
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(
            worker, args=(2, f"{folder}/init"), nprocs=2, start_method="fork"
        )
