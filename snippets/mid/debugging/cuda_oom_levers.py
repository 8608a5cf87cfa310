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
from torch.utils.checkpoint import checkpoint


class Live(TorchDispatchMode):
    """Bytes of the storages that eager operators create here, and their peak."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}
        self.peak = 0

    @property
    def alive(self) -> int:
        return sum(self.sizes.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        given, made = (
            {
                tensor.untyped_storage()._cdata: tensor.untyped_storage()
                for tensor in tree_leaves(tree)
                if isinstance(tensor, torch.Tensor)
            }
            for tree in ((args, kwargs), result)
        )
        for key in made.keys() - given.keys() - self.sizes.keys():
            self.sizes[key] = made[key].nbytes()
            weakref.finalize(made[key], self.sizes.pop, key)
        self.peak = max(self.peak, self.alive)
        return result


class Model(nn.Module):
    """Four blocks, float32 (batch, 64) to (batch, 64)."""

    def __init__(self, checkpointed: bool = False) -> None:
        super().__init__()
        self.checkpointed = checkpointed
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
            for _ in range(4)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            if self.checkpointed:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return x


def size(tensors) -> int:
    """Bytes of tensors that share no storage; None counts nothing."""
    return sum(
        each.untyped_storage().nbytes() for each in tensors if each is not None
    )


def memory(
    batch: int = 256,
    pieces: int = 1,
    summed: bool = False,
    steps: int = 2,
    autocast: bool = False,
    dtype: torch.dtype = torch.float32,
    frozen: int = 0,
    checkpointed: bool = False,
    optimizer: Callable = torch.optim.Adam,
    **options,
) -> dict[str, int]:
    """Bytes in the last of ``steps`` steps of training, the batch in ``pieces``.

    Args:
        summed: add the losses of the pieces, and run backward once at the end.
        autocast: run forward under autocast in bfloat16.
        frozen: number of blocks, from the input, that are not trained.
        options: for the optimizer.

    Returns:
        parameters, gradients, states: after the step.
        saved: what forward left alive when backward starts, besides those three.
        backward, step: highest sum of all while backward runs, while step() runs.
    """
    model = Model(checkpointed).to(dtype)
    for block in model.blocks[:frozen]:
        block.requires_grad_(False)
    trained = [each for each in model.parameters() if each.requires_grad]
    optimizer = optimizer(trained, lr=0.001, **options)
    x = torch.randn(batch, 64, dtype=dtype)
    with Live() as live:
        for _ in range(steps):
            optimizer.zero_grad()
            live.peak, total, saved = 0, 0, 0
            for piece in x.chunk(pieces):
                before = live.alive
                with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                    loss = model(piece).square().mean() / pieces
                if summed:
                    total = total + loss
                saved = live.alive - before + (saved if summed else 0)
                if not summed:
                    loss.backward()
            if summed:
                total.backward()
            del loss, total
            backward, live.peak = live.peak, 0
            optimizer.step()
    states = [
        value for state in optimizer.state.values() for value in state.values()
    ]
    parameters = size(model.parameters())
    return {
        "parameters": parameters,
        "gradients": size(each.grad for each in trained),
        "states": size(each for each in states if isinstance(each, torch.Tensor)),
        "saved": saved,
        "backward": parameters + backward,
        "step": parameters + live.peak,
    }


LEVERS = {
    "Adam, batch 256": {},
    "its first step": {"steps": 1},
    "batch 64": {"batch": 64},
    "4 pieces of 64": {"pieces": 4},
    "4 pieces, losses summed": {"pieces": 4, "summed": True},
    "checkpointing": {"checkpointed": True},
    "autocast, bfloat16": {"autocast": True},
    "batch 16": {"batch": 16},
    "batch 16, autocast": {"batch": 16, "autocast": True},
    "model in bfloat16": {"dtype": torch.bfloat16},
    "SGD": {"optimizer": torch.optim.SGD},
    "foreach=True": {"foreach": True},
    "3 of 4 blocks frozen": {"frozen": 3},
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"{'KB':23}" + "".join(f"{name:>11}"[-10:] for name in memory(batch=1)))
    for name, options in LEVERS.items():
        row = memory(**options).values()
        print(f"{name:23}" + "".join(f"{each / 1000:10,.0f}" for each in row))
    batches = (16, 64, 128, 192, 256)
    for name, line in (
        ("Adam, batch 256", "o-"),
        ("SGD", "s--"),
        ("checkpointing", "^-."),
        ("4 pieces of 64", "v:"),
    ):
        peaks = [memory(**{**LEVERS[name], "batch": batch}) for batch in batches]
        peaks = [max(each["backward"], each["step"]) / 1e6 for each in peaks]
        plt.plot(
            batches, peaks, line, label=name.split(",")[0].removesuffix(" of 64")
        )
    plt.xlabel("samples in a step")
    plt.ylabel("peak of a training step, MB")
    plt.ylim(bottom=0)
    plt.legend()
    plt.show()
