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


def mean_over_ranks(losses: torch.Tensor) -> torch.Tensor:
    """Loss for backward() under DDP if ranks hold different numbers of samples.

    Args:
        losses: one loss per sample of this rank, shape (n,); n may differ between
            ranks, and may be 0 on some of them.

    Returns:
        A scalar. DDP's mean of its gradients is the gradient of the mean over the
        samples of all ranks. A collective: every rank has to call it.
    """
    count = torch.tensor(float(losses.numel()), device=losses.device)
    dist.all_reduce(count)
    return losses.sum() * dist.get_world_size() / count


def demonstrate(rank: int) -> None:
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    # The gradient of w * x is x.
    x = torch.ones(4, 1) if rank == 0 else torch.full((1, 1), 11.0)
    for label, loss in (
        ("losses.mean() on each rank", torch.mean),
        ("mean_over_ranks(losses)", mean_over_ranks),
    ):
        replica.zero_grad()
        loss(replica(x).flatten()).backward()
        if rank == 0:
            print(f"{label:28}{model.weight.grad.item():5.1f}")


def worker(rank: int, world_size: int, init_file: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{init_file}", rank=rank, world_size=world_size
    )
    demonstrate(rank)
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    print(f"mean of 1, 1, 1, 1 and 11   {(4 * 1 + 11) / 5:5.1f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(
            worker, args=(2, f"{folder}/init"), nprocs=2, start_method="fork"
        )
