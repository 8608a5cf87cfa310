# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import copy
import tempfile

import torch
import torch._dynamo  # fully_shard imports it: once here, not on each rank
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
)
from torch.distributed.fsdp import fully_shard


def clip(mesh: dist.DeviceMesh) -> None:
    """Gradients 3 and 4, one on each rank: their norm is 5."""
    model = fully_shard(nn.Linear(1, 2, bias=False), mesh=mesh)
    model(torch.ones(1, 1)).mul(torch.tensor([3.0, 4.0])).sum().backward()
    seen = [None, None]
    local = model.weight.grad.to_local().norm().item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    dist.all_gather_object(seen, (local, norm.full_tensor().item()))
    if dist.get_rank() == 0:
        for rank, (local, whole) in enumerate(seen):
            print(
                f"rank {rank}: norm of its shard {local}, clip_grad_norm_() {whole}"
            )


def train(model: nn.Module, x: torch.Tensor) -> None:
    """Five steps of AdamW with clipped gradients."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)
        optimizer.step()


def compare(mesh: dist.DeviceMesh) -> None:
    """Train sharded, four rows on each rank, and in one process on all eight."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 2))
    alone, x = copy.deepcopy(model), torch.randn(8, 6)
    train(alone, x)
    for module in (model[0], model[2], model):
        fully_shard(module, mesh=mesh)
    train(model, x[mesh.get_rank() :: 2])
    shard = model.state_dict()["0.weight"].to_local()
    options = StateDictOptions(full_state_dict=True)
    whole = get_model_state_dict(model, options=options)  # every rank calls it
    if dist.get_rank() == 0:
        print("state_dict():", tuple(shard.shape), end=", full state dict: ")
        print(tuple(whole["0.weight"].shape))
        same = [
            torch.allclose(whole[name], value, atol=1e-4)
            for name, value in alone.state_dict().items()
        ]
        print("weights equal those of one process:", all(same))


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    mesh = dist.init_device_mesh("cpu", (2,))
    clip(mesh)
    compare(mesh)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
