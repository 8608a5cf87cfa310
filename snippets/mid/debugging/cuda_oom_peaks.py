# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Live(TorchDispatchMode):
    """After each eager operator, the bytes of all storages seen and still alive."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}
        self.curve: list[int] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, result)):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.sizes:
                    self.sizes[storage._cdata] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, storage._cdata)
        self.curve.append(sum(self.sizes.values()))
        return result


def timeline(batch: int, optimizer: Callable) -> tuple[list[int], int, int]:
    """Bytes after each operator of a second step, where backward and step start."""
    model = nn.Sequential(
        *(
            layer
            for _ in range(4)
            for layer in (nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
        )
    )
    optimizer, x = optimizer(model.parameters(), lr=0.001), torch.randn(batch, 64)
    with Live() as live:
        for _ in range(2):
            optimizer.zero_grad()
            live.curve.clear()
            loss = model(x).square().mean()
            backward = len(live.curve)
            loss.backward()
            del loss
            step = len(live.curve)
            optimizer.step()
    return live.curve, backward, step


if __name__ == "__main__":
    plt.figure(figsize=(7.2, 3.2))
    for name, batch, optimizer, line in (
        ("Adam, batch 256", 256, torch.optim.Adam, "-"),
        ("SGD, batch 256", 256, torch.optim.SGD, "--"),
        ("Adam, batch 64", 64, torch.optim.Adam, ":"),
    ):
        curve, backward, step = timeline(batch, optimizer)
        peak, last = max(curve) / 1e6, max(curve[step:]) / 1e6
        print(f"{name:16} peak {peak:.1f} MB, in step() {last:.1f} MB")
        cuts, x = (0, backward, step, len(curve)), []
        for phase in range(3):  # each phase gets the same width
            count = cuts[phase + 1] - cuts[phase]
            x += [phase + (number + 1) / count for number in range(count)]
        plt.plot(x, [size / 1e6 for size in curve], line, label=name)
    plt.xticks([0.5, 1.5, 2.5], ["forward", "backward", "optimizer.step()"])
    for border in (1, 2):
        plt.axvline(border, color="gray", linewidth=0.5)
    plt.ylabel("memory of tensors, MB")
    plt.xlabel("operators of one training step")
    plt.ylim(0, 5.5)
    plt.legend(loc="upper right")
    plt.show()
