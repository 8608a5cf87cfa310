# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref

import matplotlib.pyplot as plt
import torch
from torch.autograd.graph import saved_tensors_hooks

LAYERS = 8  # each keeps 1 MiB


def curve(kind: str) -> list[float]:
    """MiB that graphs hold, after each layer of two training iterations."""
    boxes, found = weakref.WeakSet(), [0]

    class Box:
        def __init__(self, tensor: torch.Tensor):
            self.tensor = tensor
            boxes.add(self)

    def note(*_) -> None:
        found.append(len(boxes))

    def forward() -> torch.Tensor:
        h = torch.zeros(2**18, requires_grad=True)
        h.register_hook(note)
        with saved_tensors_hooks(Box, lambda box: box.tensor):
            for _ in range(LAYERS):
                h = h.sin()  # keeps its input
                note()
                h.register_hook(note)
        return h.sum()

    loss = forward()
    if kind == "skipped":
        found += [len(boxes)] * (LAYERS + 1)  # no backward(), and nothing changes
    else:
        loss.backward(retain_graph=kind == "retain_graph")
    loss = forward()  # the name changes when forward() has returned
    note()
    loss.backward(retain_graph=kind == "retain_graph")
    return found


if __name__ == "__main__":
    styles = {"normal": "-", "skipped": "--", "retain_graph": ":"}
    for kind, style in styles.items():
        found = curve(kind)
        print(f"{kind:13} peak {max(found):2} MiB, at the end {found[-1]} MiB")
        plt.plot(found, style, drawstyle="steps-post", label=kind)
    plt.xlabel("8 layers forward, 8 backward, twice")
    plt.ylabel("held by graphs (MiB)")
    plt.legend()
    plt.show()
