import weakref
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
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


def peak(again: set[int], vocabulary: int, width: int = 8, count: int = 4) -> float:
    """Peak in units of the input if the blocks of `again` are checkpointed."""
    flags = {"batch_first": True, "norm_first": True}
    blocks = [
        nn.TransformerEncoderLayer(width, 1, 4 * width, 0, "gelu", **flags)
        for _ in range(count)
    ]
    head = nn.Linear(width, vocabulary) if vocabulary else None
    parts = [*blocks, head] if head else blocks
    weights = [p for part in parts for p in part.parameters()]
    for p in weights:
        p.grad = torch.zeros_like(p)
    x, target = torch.randn(1, 64, width), torch.zeros(64, dtype=torch.long)
    known = [x, target, *weights, *(p.grad for p in weights)]
    with Peak(known) as live:
        y = x
        for i, block in enumerate(blocks):
            y = (
                checkpoint(block, y, use_reentrant=False)
                if i in again
                else block(y)
            )
        loss = F.cross_entropy(head(y)[0], target) if head else y.sum()
        del y
        loss.backward()
    return live.peak / x.nbytes


if __name__ == "__main__":
    print("checkpointed   sum  logits")
    for name, again in (
        ("none", ()),
        ("first three", (0, 1, 2)),
        ("last three", (1, 2, 3)),
        ("all four", range(4)),
    ):
        print(f"{name:12}{peak(set(again), 0):6.0f}{peak(set(again), 8 * 64):8.0f}")
