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


class TwoWeights(nn.Module):
    """Multiplies by 2 and by 3, and rank 1 does it in the other order."""

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.two = nn.Parameter(torch.tensor(2.0))
        self.three = nn.Parameter(torch.tensor(3.0))
        self.rank = rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second = self.two, self.three
        return x * first * second if self.rank == 0 else x * second * first


def average(parameter: nn.Parameter) -> None:
    """A hook that averages a gradient over the ranks as soon as it exists."""
    dist.all_reduce(parameter.grad)
    parameter.grad /= dist.get_world_size()


def gradients(rank: int, by_hand: bool) -> list[float]:
    """Both gradients after the second backward, when DDP knows its buckets."""
    model = TwoWeights(rank)
    if by_hand:
        replica = model
        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(average)
    else:  # a cap of one byte: each weight has its own bucket
        replica = DistributedDataParallel(model, bucket_cap_mb=1 / 2**20)
    for _ in range(2):
        model.zero_grad()
        replica(torch.tensor(rank + 1.0)).backward()
    return [model.two.grad.item(), model.three.grad.item()]


def worker(rank: int, folder: str) -> None:
    dist.init_process_group(
        "gloo", f"file://{folder}/init", rank=rank, world_size=2
    )
    for name, by_hand in (("hooks by hand", True), ("DDP", False)):
        held = [None, None]
        dist.all_gather_object(held, gradients(rank, by_hand))
        if rank == 0:
            print(f"{name:14} rank 0 {held[0]}  rank 1 {held[1]}")
    gc.collect()  # replicas first, then their group
    dist.destroy_process_group()


if __name__ == "__main__":
    print(
        "               mean gradients of the two weights: [4.5, 3.0]", flush=True
    )
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (folder,), 2, start_method="fork")
