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


def backward_events(bucket_cap_mb: float) -> list[str]:
    """What happens in one backward() of a six-layer model, in order, on this rank.

    Args:
        bucket_cap_mb: size of a gradient bucket in MiB; one weight has 0.25 MiB.
    """
    events = []
    layers = nn.Sequential(*[nn.Linear(256, 256, bias=False) for _ in range(6)])
    replica = DistributedDataParallel(layers, bucket_cap_mb=bucket_cap_mb)

    def all_reduce(
        group: object, bucket: dist.GradBucket
    ) -> torch.futures.Future[torch.Tensor]:
        size = len(bucket.parameters())
        events.append(
            f"    all-reduce of bucket {bucket.index()} starts ({size} tensors)"
        )
        mean = bucket.buffer() / dist.get_world_size()
        return (
            dist.all_reduce(mean, async_op=True)
            .get_future()
            .then(lambda future: future.value()[0])
        )

    replica.register_comm_hook(None, all_reduce)
    for number, layer in enumerate(layers):
        layer.weight.register_hook(
            lambda grad, number=number: events.append(f"gradient of layer {number}")
        )
    # The first backward() shows DDP the order, the second uses it.
    for _ in range(2):
        events.clear()
        replica(torch.ones(8, 256)).sum().backward()
        events.append("backward() returns")
    return events


def worker(rank: int, world_size: int, init_file: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{init_file}", rank=rank, world_size=world_size
    )
    events = backward_events(bucket_cap_mb=0.5)
    if rank == 0:
        print("\n".join(events))
    gc.collect()  # frees the replica before its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(
            worker, args=(2, f"{folder}/init"), nprocs=2, start_method="fork"
        )
