import weakref
from collections.abc import Callable

import torch
from torch import nn


class Saved:
    """A tensor, any shape and dtype, that a graph keeps; freed with the graph."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()


def validate(
    model: nn.Module, batches: torch.Tensor, keep: Callable
) -> tuple[int, int]:
    """A validation loop without ``no_grad()``: ``keep`` gets each loss.

    Args:
        batches: float32 of shape (B, N, F).

    Returns:
        Bytes that graphs keep, without weights, buffers and data: at most and at
        the end. Shared memory counts once.
    """
    known = {
        tensor.untyped_storage().data_ptr()
        for tensor in (batches, *model.parameters(), *model.buffers())
    }
    alive: weakref.WeakSet[Saved] = weakref.WeakSet()
    sizes = []

    def held() -> int:
        storages = {
            storage.data_ptr(): storage.nbytes()
            for storage in (saved.tensor.untyped_storage() for saved in alive)
        }
        return sum(
            size for address, size in storages.items() if address not in known
        )

    def pack(tensor: torch.Tensor) -> Saved:
        saved = Saved(tensor)
        alive.add(saved)
        sizes.append(held())
        return saved

    history = []
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
        for x in batches:
            loss = model(x).square().mean()
            history.append(keep(loss))
    del loss
    return max(sizes, default=0), held()


def mlp(depth: int, width: int) -> nn.Module:
    """``depth`` times Linear and ReLU, float32: input and output (N, width)."""
    return nn.Sequential(
        *(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth))
    )


if __name__ == "__main__":
    print("history keeps  batches    at peak  after loop")
    for name, keep in (
        ("loss.item()", torch.Tensor.item),
        ("loss", lambda loss: loss),
    ):
        for count in (1, 10, 40):
            peak, after = validate(mlp(4, 128), torch.randn(count, 64, 128), keep)
            print(f"{name:14} {count:7} {peak:10,} {after:11,}")

    print("\nlayers  width  samples  saved, as a share of weights + batch + saved")
    for depth, width, samples in (
        (2, 512, 1),
        (2, 512, 256),
        (2, 64, 256),
        (32, 64, 256),
    ):
        model, batch = mlp(depth, width), torch.randn(1, samples, width)
        _, saved = validate(model, batch, keep=lambda loss: loss)
        total = (
            saved
            + batch.nbytes
            + sum(parameter.nbytes for parameter in model.parameters())
        )
        print(f"{depth:6} {width:6} {samples:8} {saved / total:6.1%}")
