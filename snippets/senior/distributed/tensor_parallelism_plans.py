import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    parallelize_module,
)
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode

RANKS = 8
SENDS = {"all_gather_into_tensor": 1, "reduce_scatter_tensor": 1, "all_reduce": 2}


class Traffic(TorchDispatchMode):
    """Counts collectives, and the bytes that a rank sends for them in a ring.

    For S bytes (the whole tensor) on n ranks that is S * (n - 1) / n for an
    all-gather and for a reduce-scatter, and twice that for an all-reduce.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls = dict.fromkeys(SENDS, 0)
        self.sent = 0

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        result = op(*args, **(kwargs or {}))
        name = op.__name__.split(".")[0]
        if op.namespace == "_c10d_functional" and name in SENDS:
            size = max(args[0].nbytes, result.nbytes)
            self.calls[name] += 1
            self.sent += SENDS[name] * size * (RANKS - 1) // RANKS
        return result


def watch(plan: dict[str, ParallelStyle], x: torch.Tensor) -> Traffic:
    """One forward and backward of an MLP, 1024 to 4096 to 1024, under ``plan``.

    Args:
        plan: styles of layers "0" and "2".
        x: this rank's input, float32, shape (tokens, 1024), with a gradient.
    """
    model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))
    parallelize_module(model, dist.init_device_mesh("cpu", (RANKS,)), plan)
    with Traffic() as traffic:
        model(x).sum().backward()
        x.grad.clone()  # waits for it
    return traffic


TOKENS = 256
PLANS = {
    "columns, rows": ({"0": ColwiseParallel(), "2": RowwiseParallel()}, TOKENS),
    "whole in between": (
        {
            "0": ColwiseParallel(output_layouts=Replicate()),
            "2": RowwiseParallel(input_layouts=Replicate()),
        },
        TOKENS,
    ),
    "rows, columns": (
        {
            "0": RowwiseParallel(input_layouts=Replicate()),
            "2": ColwiseParallel(output_layouts=Replicate()),
        },
        TOKENS,
    ),
    "sequence parallel": (
        {
            "0": ColwiseParallel(input_layouts=Shard(0)),
            "2": RowwiseParallel(output_layouts=Shard(0)),
        },
        TOKENS // RANKS,
    ),
}

if __name__ == "__main__":
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    print(f"{'':18}all-gather  reduce-scatter  all-reduce  MiB sent")
    for name, (plan, tokens) in PLANS.items():
        traffic = watch(plan, torch.ones(tokens, 1024, requires_grad=True))
        gather, scatter, reduce = traffic.calls.values()
        print(f"{name:18}{gather:10}{scatter:16}{reduce:12}", end="")
        print(f"{traffic.sent / 2**20:10.2f}")
