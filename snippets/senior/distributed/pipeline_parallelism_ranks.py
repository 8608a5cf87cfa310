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
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe


def train(
    rank: int, schedule: type, reduction: str, scale: bool
) -> tuple[float, int]:
    """Run 4 micro-batches of 2 samples through two stages, one on each rank.

    Returns:
        The gradient of this stage divided by that of the whole batch, and the
        most micro-batches that were between their forward and backward here.
    """
    torch.manual_seed(0)
    model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(4)])
    x, y = torch.randn(8, 8), torch.randn(8, 8)
    loss = nn.MSELoss(reduction=reduction)
    whole = copy.deepcopy(model)
    loss(whole(x), y).backward()

    part, ours = (m[2 * rank : 2 * rank + 2] for m in (model, whole))
    now = [0]
    part.register_forward_hook(lambda *_: now.append(now[-1] + 1))
    part[0].weight.register_post_accumulate_grad_hook(
        lambda _: now.append(now[-1] - 1)
    )
    stage = PipelineStage(part, rank, 2, torch.device("cpu"))
    pipeline = schedule(stage, n_microbatches=4, loss_fn=loss, scale_grads=scale)
    if rank == 0:
        pipeline.step(x)
    else:
        pipeline.step(target=y)
    pairs = zip(part.parameters(), ours.parameters(), strict=True)
    ratios = torch.cat([(a.grad / b.grad).flatten() for a, b in pairs])
    assert (ratios - ratios.median()).abs().max() < 0.01
    # The schedule first runs a forward to find out shapes, and no backward for it.
    return ratios.median().item(), max(now) - now[-1]


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    for schedule, reduction, scale in (
        (ScheduleGPipe, "mean", True),
        (Schedule1F1B, "mean", True),
        (Schedule1F1B, "sum", True),
        (Schedule1F1B, "sum", False),
    ):
        seen = [None, None]
        dist.all_gather_object(seen, train(rank, schedule, reduction, scale))
        if rank == 0:
            ratios = [f"{ratio:.2f}" for ratio, _ in seen]
            kept = [most for _, most in seen]
            print(
                f"{schedule.__name__:13} {reduction:4}  {scale!s:11}",
                f" {' '.join(ratios)}   {kept}",
            )
    dist.destroy_process_group()


if __name__ == "__main__":
    print("schedule      loss  scale_grads  gradient    kept", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
