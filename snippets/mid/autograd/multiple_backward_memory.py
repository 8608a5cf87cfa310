# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref

import matplotlib.pyplot as plt
import torch
from torch.autograd.graph import saved_tensors_hooks

SIZE, LAYERS = 2**18, 20  # 1 MiB of float32 per activation


def held(retain: bool) -> list[float]:
    """MiB kept for backward, after each step of a forward and a backward pass."""
    alive, found = weakref.WeakSet(), [0.0]

    class Kept:
        def __init__(self, tensor: torch.Tensor):
            self.tensor = tensor
            alive.add(self)

    def note(_=None) -> None:
        found.append(sum(kept.tensor.nbytes for kept in alive) / 2**20)

    h = x = torch.zeros(SIZE, requires_grad=True)
    x.register_hook(note)
    with saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        for layer in range(LAYERS):
            h = h.sin()  # keeps its input
            note()
            if layer < LAYERS - 1:
                h.register_hook(note)
    loss = h.sum()
    loss.backward(retain_graph=retain)
    return found


if __name__ == "__main__":
    for retain in False, True:
        line = held(retain)
        label = f"retain_graph={retain}"
        print(f"{label:18} before {line[LAYERS]:.0f} MiB, after {line[-1]:.0f} MiB")
        plt.plot(line, "--" if retain else "-", label=label)
    plt.axvline(LAYERS, color="0.5", linewidth=1)
    plt.xlabel("20 layers forward, then 20 layers backward")
    plt.ylabel("kept for backward (MiB)")
    plt.legend()
    plt.show()
