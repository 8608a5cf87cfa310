# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import copy
import gc
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def report(label: str, value: float) -> None:
    """Print on rank 0 what ``value`` is on every rank.

    A collective: every rank has to call it.
    """
    values = [0.0] * dist.get_world_size()
    dist.all_gather_object(values, value)
    if dist.get_rank() == 0:
        print(f"{label:38}" + "".join(f"{v:9.4f}" for v in values))


def demonstrate(rank: int, world_size: int) -> None:
    torch.manual_seed(rank)
    model = nn.Linear(1, 1, bias=False)
    report("weight, every rank with its own seed", model.weight.item())
    replica = DistributedDataParallel(model)
    report("weight, after wrapping in DDP", model.weight.item())

    x = torch.arange(1.0, 9.0).unsqueeze(1) / 8
    y = 3 * x
    mine = slice(rank, None, world_size)
    for label, rows in (
        ("gradient without DDP, my rows", mine),
        ("gradient without DDP, all rows", slice(None)),
    ):
        alone = copy.deepcopy(model)
        F.mse_loss(alone(x[rows]), y[rows]).backward()
        report(label, alone.weight.grad.item())
    F.mse_loss(replica(x[mine]), y[mine]).backward()
    report("gradient with DDP, my rows", model.weight.grad.item())

    before = copy.deepcopy(model.state_dict())
    for label, lr in (
        ("lr 0.1 on both", 0.1),
        ("lr 0.1 and 0.2", 0.1 * (rank + 1)),
    ):
        model.load_state_dict(before)
        torch.optim.SGD(replica.parameters(), lr=lr).step()
        report(f"weight after step(), {label}", model.weight.item())


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
