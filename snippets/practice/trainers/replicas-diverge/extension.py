# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import gc
import runpy
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

script = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
CASES = (
    "none",
    "own seed for each rank",
    "clipping on rank 0 only",
    "same examples",
)


def train(rank: int, bug: str, steps: int = 50) -> tuple[float, torch.Tensor]:
    """The loss of step 1 and all parameters at the end, of this rank."""
    replica = script["Replica"](0, 0)
    if bug == "own seed for each rank":
        replica = script["Replica"](0, rank)
    if bug != "same examples":
        replica.data.manual_seed(rank)
    inner, losses = replica.model, []
    replica.model = DistributedDataParallel(inner)  # broadcasts rank 0's parameters
    for _ in range(steps):
        losses.append(replica.backward())  # averages the gradients
        if rank == 0 or bug != "clipping on rank 0 only":
            nn.utils.clip_grad_norm_(inner.parameters(), script["MAX_NORM"])
        replica.optimizer.step()
    return losses[0], nn.utils.parameters_to_vector(inner.parameters()).detach()


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    for bug in CASES:
        loss, parameters = train(rank, bug)
        seen = [None, None]
        dist.all_gather_object(seen, (loss, parameters))
        if rank == 0:
            (loss_0, a), (loss_1, b) = seen
            equal = "equal" if loss_0 == loss_1 else "different"
            distance = (a - b).norm().item()
            print(f"{bug:24} losses {equal:10} distance {distance:4.1f}")
    gc.collect()  # frees the replicas before their process group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
