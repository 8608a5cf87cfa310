from contextlib import nullcontext

import torch
from torch import nn


def gradients(middle: str) -> dict[str, torch.Tensor | None]:
    """Weight gradients of float32 layers, 4 to 8 to 8 to 1, for a batch (16, 4).

    Args:
        middle: how the middle layer runs: "trainable", "requires_grad=False" or
            "no_grad()".

    Returns:
        ``.grad`` of the weights of "first", "middle" and "last". Weights and batch
        are the same in every call.
    """
    torch.manual_seed(0)
    first, between, last = nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)
    layers = nn.ModuleDict({"first": first, "middle": between, "last": last})
    hidden = layers["first"](torch.randn(16, 4)).tanh()
    if middle == "requires_grad=False":
        layers["middle"].requires_grad_(False)
    with torch.no_grad() if middle == "no_grad()" else nullcontext():
        hidden = layers["middle"](hidden).tanh()
    layers["last"](hidden).square().mean().backward()
    return {name: layer.weight.grad for name, layer in layers.items()}


if __name__ == "__main__":
    print("norm of the gradient   first   middle   last")
    for middle in ("trainable", "requires_grad=False", "no_grad()"):
        row = [
            f"{grad.norm():.4f}" if grad is not None else "None"
            for grad in gradients(middle).values()
        ]
        print(f"middle {middle:20}", *(f"{cell:8}" for cell in row[:2]), row[2])
