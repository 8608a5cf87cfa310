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


class Live(TorchDispatchMode):
    """Bytes of live storages after each operation, without those of `known`."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        super().__init__()
        self.seen = {t.untyped_storage()._cdata for t in known}
        self.now, self.curve = 0, [0]

    def change(self, storage: int, size: int) -> None:
        (self.seen.add if size > 0 else self.seen.discard)(storage)
        self.now += size

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for t in tree_leaves(out):
            if isinstance(t, torch.Tensor):
                storage = t.untyped_storage()
                if storage._cdata not in self.seen and storage.nbytes():
                    self.change(storage._cdata, storage.nbytes())
                    size = -storage.nbytes()
                    weakref.finalize(storage, self.change, storage._cdata, size)
        self.curve.append(self.now)
        return out


if __name__ == "__main__":
    options = {
        "dropout": 0,
        "activation": "gelu",
        "batch_first": True,
        "norm_first": True,
    }
    blocks = [nn.TransformerEncoderLayer(16, 2, 64, **options) for _ in range(4)]
    weights = [p for block in blocks for p in block.parameters()]
    for p in weights:
        p.grad = torch.zeros_like(p)
    x = torch.randn(8, 64, 16)
    for recompute in (False, True):
        with Live([x, *weights, *(p.grad for p in weights)]) as live:
            y = x
            for block in blocks:
                y = (
                    checkpoint(block, y, use_reentrant=False)
                    if recompute
                    else block(y)
                )
            loss = y.sum()
            del y
            forward = len(live.curve)
            held = live.now
            loss.backward()
        units = [size / x.nbytes for size in live.curve]
        name = "checkpointed" if recompute else "plain"
        held /= x.nbytes
        print(f"{name:13} after forward {held:5.1f}, peak {max(units):5.1f}")
        line = plt.plot(units, "-" if recompute else "--", label=name)[0]
        plt.plot(forward - 1, units[forward - 1], "o", color=line.get_color())
    plt.xlabel("operations")
    plt.ylabel("live activations")
    plt.legend()
    plt.show()
