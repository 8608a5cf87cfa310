# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import weakref

import matplotlib.pyplot as plt
import torch
from torch import nn


def activations(model: nn.Sequential, x: torch.Tensor) -> list[int]:
    """Bytes of layer outputs in memory after each layer; x has any shape."""
    alive: dict[int, int] = {}
    curve = []

    def count(module: nn.Module, inputs: tuple, output: torch.Tensor) -> None:
        storage = output.untyped_storage()
        alive[storage._cdata] = storage.nbytes()
        weakref.finalize(storage, alive.pop, storage._cdata, None)
        curve.append(sum(alive.values()))

    hooks = [layer.register_forward_hook(count) for layer in model]
    model(x)
    for hook in hooks:
        hook.remove()
    return curve


def mlp(depth: int, width: int) -> nn.Sequential:
    """``depth`` times Linear and ReLU, float32, input and output (N, width)."""
    pairs = [(nn.Linear(width, width), nn.ReLU()) for _ in range(depth)]
    return nn.Sequential(*(layer for pair in pairs for layer in pair))


if __name__ == "__main__":
    model, x = mlp(10, 256), torch.randn(1000, 256)
    recorded = activations(model, x)
    with torch.no_grad():
        free = activations(model, x)
    for name, curve, line in (
        ("recorded", recorded, "-"),
        ("no_grad()", free, "--"),
    ):
        print(f"{name:9} after the last layer: {curve[-1]:10,} bytes")
        layers = range(1, len(curve) + 1)
        plt.plot(layers, [size / 1e6 for size in curve], line, label=name)
    plt.xlabel("layers computed (Linear, ReLU, Linear, ...)")
    plt.ylabel("activations in memory, MB")
    plt.legend()
    plt.show()
