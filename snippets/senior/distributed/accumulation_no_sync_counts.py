# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
# ///
import contextlib
import gc

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def sent(inside: list[str]) -> int:
    """All-reduces of two micro-batches, where ``no_sync()`` covers these parts.

    Args:
        inside: some of "forward 1", "backward 1", "forward 2", "backward 2".
    """
    replica, calls = DistributedDataParallel(nn.Linear(1, 1)), []

    def count(
        _: object, bucket: dist.GradBucket
    ) -> torch.futures.Future[torch.Tensor]:
        calls.append(bucket.index())
        future = torch.futures.Future()
        future.set_result(bucket.buffer())  # one rank: nothing to reduce
        return future

    def context(part: str) -> contextlib.AbstractContextManager:
        return replica.no_sync() if part in inside else contextlib.nullcontext()

    replica.register_comm_hook(None, count)
    for number in (1, 2):
        with context(f"forward {number}"):
            loss = replica(torch.ones(1, 1)).sum()
        with context(f"backward {number}"):
            loss.backward()
    return len(calls)


if __name__ == "__main__":
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    print("under no_sync()                                all-reduces")
    for inside in (
        [],
        ["backward 1"],
        ["forward 1", "backward 1"],
        ["forward 1", "backward 1", "forward 2", "backward 2"],
    ):
        print(f"{', '.join(inside) or 'nothing':46} {sent(inside)}")
    gc.collect()  # replicas first, then their group
    dist.destroy_process_group()
