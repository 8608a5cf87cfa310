from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


def windows(loader: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of ``size`` (at least 1) micro-batches; the last holds what is left."""
    batches = iter(loader)
    while window := list(islice(batches, size)):
        yield window


def accumulated_step(
    model: nn.Module,
    loss_sum: Callable[[nn.Module, Any], Tensor],
    weight_of: Callable[[Any], Tensor | float],
    optimizer: torch.optim.Optimizer,
    window: list[Any],
    scaler: torch.amp.GradScaler | None = None,
    max_norm: float | None = None,
) -> float:
    """One optimizer step with the mean loss over all that counts in a window.

    Args:
        model: any but a sharded one (FSDP); in DistributedDataParallel too, with as
            many windows on each rank. If a layer mixes the samples of a batch
            (batch norm), the step is not that of one batch.
        loss_sum: the sum of a micro-batch's losses, a scalar, from model and batch.
        weight_of: what that sum is divided by if the micro-batch is alone: the
            number of its samples or tokens, or the sum of its class weights.
        window: micro-batches as the loader gives them, at least one.
        scaler: for float16; it may skip the step.
        max_norm: limit for the norm of the accumulated gradient of all parameters
            that the optimizer holds.

    Returns:
        The mean loss, over all ranks. If nothing counts, 0.0, and nothing changes.
    """
    parts = model.modules()  # torch.compile puts its own module around that of DDP
    ddp = next((m for m in parts if isinstance(m, DistributedDataParallel)), None)
    ranks = dist.get_world_size(ddp.process_group) if ddp else 1

    device = next(model.parameters()).device

    def over_ranks(value: Tensor | float) -> float:
        if ddp:
            value = torch.as_tensor(value, dtype=torch.float64, device=device)
            dist.all_reduce(value, group=ddp.process_group)
        return float(value)

    mean = torch.zeros((), device=device)
    total = over_ranks(sum(float(weight_of(batch)) for batch in window))
    if total == 0:
        return 0.0
    scaler = scaler or torch.amp.GradScaler("cpu", enabled=False)
    optimizer.zero_grad()
    for left, batch in zip(range(len(window) - 1, -1, -1), window):
        with ddp.no_sync() if ddp and left else nullcontext():
            loss = loss_sum(model, batch) / total
            scaler.scale(loss * ranks).backward()  # frees this micro-batch's graph
        mean = mean + loss.detach().to(device)  # float64 if the loss is
    if max_norm is not None:
        scaler.unscale_(optimizer)
        held = [p for group in optimizer.param_groups for p in group["params"]]
        nn.utils.clip_grad_norm_(held, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return over_ranks(mean)


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = torch.randn(20, 4), torch.randint(3, (20,))
    y[9:15] = -100  # to be ignored
    costs = torch.tensor([1.0, 1.0, 10.0])

    def loss_sum(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
        return F.cross_entropy(model(batch[0]), batch[1], costs, reduction="sum")

    def weight_of(batch: tuple[Tensor, Tensor]) -> Tensor:
        return costs[batch[1][batch[1] != -100]].sum()

    for sizes in ([20], [4, 4, 4, 4, 4], [8, 8, 4], [1] * 20):
        torch.manual_seed(1)
        model = nn.Linear(4, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        window = list(zip(x.split(sizes), y.split(sizes)))
        for _ in range(10):
            loss = accumulated_step(model, loss_sum, weight_of, optimizer, window)
        weights = [round(value, 3) for value in model.weight[0].tolist()]
        print(f"{len(sizes):2} micro-batches: loss {loss:.3f}, weights {weights}")
