# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref
from typing import Any

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint


class Peak(TorchDispatchMode):
    """Highest sum of live storages; those of `known` do not count."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        super().__init__()
        self.seen = {t.untyped_storage()._cdata for t in known}
        self.now = self.peak = 0

    def free(self, storage: int, size: int) -> None:
        self.seen.discard(storage)
        self.now -= size

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for t in tree_leaves(out):
            if isinstance(t, torch.Tensor):
                storage = t.untyped_storage()
                key, size = storage._cdata, storage.nbytes()
                if size and key not in self.seen:
                    self.seen.add(key)
                    self.now += size
                    self.peak = max(self.peak, self.now)
                    weakref.finalize(storage, self.free, key, size)
        return out


def peak(blocks: list[nn.Module], x: torch.Tensor, together: int) -> float:
    """Peak in units of x, if segments of `together` blocks are checkpointed."""
    weights = [p for block in blocks for p in block.parameters()]
    for p in weights:
        p.grad = torch.zeros_like(p)
    with Peak([x, *weights, *(p.grad for p in weights)]) as live:
        y = x
        step = together or len(blocks)
        for start in range(0, len(blocks), step):
            segment = nn.Sequential(*blocks[start : start + step])
            y = (
                checkpoint(segment, y, use_reentrant=False)
                if together
                else segment(y)
            )
        loss = y.sum()
        del y
        loss.backward()
    return live.peak / x.nbytes


if __name__ == "__main__":
    options = {
        "dropout": 0,
        "activation": "gelu",
        "batch_first": True,
        "norm_first": True,
    }
    x = torch.randn(1, 64, 8)
    print("blocks per segment: peak in activations")
    sizes = {12: (0, 1, 2, 3, 4, 6, 12), 64: (1, 2, 4, 8)}
    for (count, segments), mark in zip(sizes.items(), "os", strict=True):
        blocks = [
            nn.TransformerEncoderLayer(8, 1, 32, **options) for _ in range(count)
        ]
        found = {each: peak(blocks, x, each) for each in segments}
        row = ", ".join(f"{k or 'none'}: {v:.0f}" for k, v in found.items())
        print(f"{count} blocks: {row}")
        plt.plot(
            [each for each in segments if each],
            [found[each] for each in segments if each],
            mark + "-",
            label=f"{count} blocks",
        )
    plt.xlabel("blocks per checkpointed segment")
    plt.ylabel("peak, in units of the input")
    plt.ylim(0)
    plt.legend()
    plt.show()
