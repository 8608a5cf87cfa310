# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
# ///
import gc

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel


def gradient(x: float, compress: bool) -> float:
    """The gradient of w * x after the all-reduce, which is x if nothing is lost."""
    model = nn.Linear(1, 1, bias=False)
    replica = DistributedDataParallel(model)
    if compress:
        replica.register_comm_hook(None, default_hooks.fp16_compress_hook)
    replica(torch.tensor([[x]])).sum().backward()
    return model.weight.grad.item()


if __name__ == "__main__":
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    print("gradient   float32   compressed to float16")
    for x in (0.5, 100_000.0, 1e-8):
        print(f"{x:8g}{gradient(x, False):10g}{gradient(x, True):24g}")
    gc.collect()  # replicas first, then their group
    dist.destroy_process_group()
