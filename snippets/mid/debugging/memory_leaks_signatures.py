# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
# ///
import gc
import weakref
from collections.abc import Callable
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Live(TorchDispatchMode):
    """Bytes of the storages that eager operators create here and that are alive."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[int, int] = {}

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
        return result


def training_step(case: str) -> Callable[[], None]:
    """A step of 128 samples through 64, 256, 10 units; ``case``: what it keeps."""
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    x, y = torch.randn(128, 64), torch.randint(10, (128,))
    kept: list = []

    def keep(module: nn.Module, inputs: tuple, output: torch.Tensor) -> None:
        kept.append(output.detach())

    if case == "hook keeps output.detach()":
        model[1].register_forward_hook(keep)

    def step() -> None:
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        if not case.startswith("validation"):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if case.endswith("loss in a list"):
            kept.append(loss)
        elif case == "logits[0].detach() in a list":
            kept.append(logits[0].detach())
        elif case == "exception in a list":
            kept.append(failed(model))
        elif case == "reference cycle":
            batch = SimpleNamespace(hidden=model[0](x).detach())
            batch.me = batch

    return step


def failed(model: nn.Module) -> Exception:
    """An exception; its traceback refers to the frame, the frame to ``hidden``."""
    try:
        hidden = model[0](torch.randn(128, 64))
        raise ValueError(hidden.shape)
    except ValueError as error:
        return error


def curve(case: str, steps: int = 20) -> list[int]:
    """Bytes alive after each step, and after one ``gc.collect()`` at the end."""
    step, found = training_step(case), []
    gc.disable()  # the only collection is the one at the end,
    gc.freeze()  # and it skips what is older than the loop
    with Live() as live:
        for _ in range(steps):
            step()
            found.append(sum(live.sizes.values()))
        gc.collect()
        found.append(sum(live.sizes.values()))
    gc.unfreeze()
    gc.enable()
    return found


CASES = (
    "nothing",
    "training, loss in a list",
    "validation, loss in a list",
    "hook keeps output.detach()",
    "logits[0].detach() in a list",
    "exception in a list",
    "reference cycle",
)

if __name__ == "__main__":
    print(f"{'KB alive after step':28}      1     10     20   gc.collect()")
    for case in CASES:
        found = [size / 1000 for size in curve(case)]
        row = [found[0], found[9], found[19], found[20]]
        print(f"{case:28}" + "".join(f"{size:7.0f}" for size in row))
