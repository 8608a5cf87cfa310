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
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def accumulate(
    replica: DistributedDataParallel,
    micro_batches: list[tuple[torch.Tensor, torch.Tensor]],
    loss_sum: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    """Gradients of the mean loss over all labels of all ranks, with one all-reduce.

    Args:
        micro_batches: input and labels; labels of -100 do not count. At least one.
        loss_sum: from output and labels to the summed loss.
    """
    labels = torch.stack([(y != -100).sum() for _, y in micro_batches]).sum()
    dist.all_reduce(labels)  # one number: how many labels all ranks have
    scale = dist.get_world_size() / labels.clamp(min=1)  # DDP divides by world size
    for number, (x, y) in enumerate(micro_batches, start=1):
        last = number == len(micro_batches)
        with contextlib.nullcontext() if last else replica.no_sync():
            loss = loss_sum(replica(x), y) * scale
            loss.backward()


def demonstrate(rank: int) -> None:
    data = [[[1.0], [2.0, 3.0]], [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0]]][rank]
    inputs = [torch.tensor(values)[:, None] for values in data]
    model = nn.Linear(1, 1, bias=False)
    replica, calls = DistributedDataParallel(model), []

    def count(
        _: object, bucket: dist.GradBucket
    ) -> torch.futures.Future[torch.Tensor]:
        calls.append(bucket.index())
        mean = bucket.buffer() / dist.get_world_size()
        work = dist.all_reduce(mean, async_op=True)
        return work.get_future().then(lambda future: future.value()[0])

    replica.register_comm_hook(None, count)
    pairs = [(x, torch.zeros(len(x))) for x in inputs]
    accumulate(replica, pairs, lambda output, y: output.sum())
    seen = [None, None]
    dist.all_gather_object(seen, (len(calls), model.weight.grad.item()))
    if rank == 0:
        for other, (sent, gradient) in enumerate(seen):
            print(f"rank {other}: gradients sent {sent} time, gradient {gradient}")


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    demonstrate(rank)
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    print("mean of 1 to 10:", sum(range(1, 11)) / 10, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
