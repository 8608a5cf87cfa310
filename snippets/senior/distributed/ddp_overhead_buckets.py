# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import gc

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

LATENCY, PER_MIB = 1.0, 0.5  # ms that an all-reduce takes: per call, and per MiB


def bucket_sizes(model: nn.Module, x: torch.Tensor, **options) -> list[list[float]]:
    """MiB of each bucket, in the order of sending, for the first two backwards."""
    replica, sizes = DistributedDataParallel(model, **options), []

    def look(
        _: object, bucket: dist.GradBucket
    ) -> torch.futures.Future[torch.Tensor]:
        sizes[-1].append(bucket.buffer().nbytes / 2**20)
        future = torch.futures.Future()
        future.set_result(bucket.buffer())  # one rank: nothing to reduce
        return future

    replica.register_comm_hook(None, look)
    for _ in range(2):
        sizes.append([])
        replica(x).sum().backward()
    return sizes


def layers() -> list[nn.Linear]:
    """Eight layers whose weights have 1 MiB each."""
    return [nn.Linear(512, 512, bias=False) for _ in range(8)]


def draw(panel: plt.Axes, buckets: list[float], title: str) -> float:
    """Draw backward and all-reduces; ms at which the last one ends."""
    computed = sent = 0.0
    for number, mib in enumerate(buckets):
        panel.barh(1, mib - 0.08, left=computed, color="C0", alpha=0.5)
        panel.text(computed + mib / 2, 1, str(number), ha="center", va="center")
        computed += mib  # 1 ms for each MiB
        start = max(computed, sent)
        sent = start + LATENCY + PER_MIB * mib
        panel.barh(0, sent - start - 0.08, left=start, color="C1", alpha=0.5)
        panel.text((start + sent) / 2, 0, str(number), ha="center", va="center")
    panel.axvline(computed, color="gray", linestyle=":")
    panel.set_yticks([1, 0], ["backward", "all-reduce"])
    panel.set_title(f"{title}: {sent:g} ms", fontsize=10)
    return sent


if __name__ == "__main__":
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    _, panels = plt.subplots(
        4, 1, figsize=(5.2, 5.2), sharex=True, layout="constrained"
    )
    print("cap in MiB  MiB of each bucket, second backward           last one ends")
    for panel, cap in zip(panels, (8, 4, 2, 1)):
        first, second = bucket_sizes(
            nn.Sequential(*layers()), torch.ones(1, 512), bucket_cap_mb=cap
        )
        assert first == [8.0]  # the first backward has one bucket, at any cap
        end = draw(panel, second, f"bucket_cap_mb={cap}")
        print(f"{cap:10}  {' '.join(f'{mib:g}' for mib in second):46}{end:7} ms")
    panels[-1].set_xlabel("ms in the model (dotted: backward ends)")
    plt.show()
    gc.collect()  # replicas first, then their group
    dist.destroy_process_group()
