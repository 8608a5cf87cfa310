# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def two_sums(rank: int, swap: bool) -> tuple[float, float]:
    """What a rank holds in a and b after it has summed both over two ranks.

    Rank 0 has a = 1 and b = 10, rank 1 has a = 2 and b = 20.

    Args:
        swap: rank 1 calls for b first.
    """
    a = torch.tensor([1.0, 2.0][rank])
    b = torch.tensor([10.0, 20.0][rank])
    for tensor in (b, a) if swap and rank == 1 else (a, b):
        dist.all_reduce(tensor)
    return a.item(), b.item()


def worker(rank: int, folder: str) -> None:
    if rank == 0:
        print(f"{'':25}rank 0             rank 1")
    for name, swap, level in (
        ("same order", False, dist.DebugLevel.OFF),
        ("rank 1 swaps", True, dist.DebugLevel.OFF),
        ("rank 1 swaps, DETAIL", True, dist.DebugLevel.DETAIL),
    ):
        dist.set_debug_level(level)  # TORCH_DISTRIBUTED_DEBUG does the same
        dist.init_process_group(
            "gloo", f"file://{folder}/{name}", rank=rank, world_size=2
        )
        held = [None, None]
        dist.all_gather_object(held, two_sums(rank, swap))
        if rank == 0:
            print(f"{name:22}", *(f"  a = {a:4g}, b = {b:4g}" for a, b in held))
        dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (folder,), 2, start_method="fork")
