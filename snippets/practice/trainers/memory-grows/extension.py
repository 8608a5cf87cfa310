import gc
import runpy
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

broken, fixed = (
    runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
    for name in ("broken", "fixed")
)


class Removable(fixed["Monitor"]):
    """The monitor of fixed.py, which can be taken off the model."""

    def __init__(self, model: nn.Sequential) -> None:
        self.seen, self.handles = {}, []
        for name, layer in model.named_children():
            if isinstance(layer, nn.GELU):
                self.seen[name] = []
                self.handles.append(layer.register_forward_hook(self.watch(name)))

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def epochs(kind: Callable, count: int = 4) -> tuple[list[float], list[int]]:
    """A new monitor in each epoch: the megabytes, and the calls of hooks."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 128), nn.GELU(), nn.Linear(128, 1))
    x, monitors, sizes, calls = torch.randn(1024, 16), [], [], []
    gc.collect()
    start = fixed["live_megabytes"]()
    for _ in range(count):
        before = sum(len(one.seen["1"]) for one in monitors)
        monitors.append(kind(model))
        for _ in range(6):
            with torch.no_grad():
                model(x)
        if hasattr(monitors[-1], "remove"):
            monitors[-1].remove()
        calls.append(sum(len(one.seen["1"]) for one in monitors) - before)
        sizes.append(round(fixed["live_megabytes"]() - start, 1))
    return sizes, calls


if __name__ == "__main__":
    kinds = {
        "broken.py": broken["Monitor"],
        "fixed.py": fixed["Monitor"],
        "removed": Removable,
    }
    for name, kind in kinds.items():
        sizes, calls = epochs(kind)
        print(f"{name:10} MB {sizes}, calls of hooks {calls}")
