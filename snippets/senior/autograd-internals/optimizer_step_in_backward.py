# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable, Iterable

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils.hooks import RemovableHandle


def step_in_backward(
    parameters: Iterable[nn.Parameter],
    make_optimizer: Callable[[list[nn.Parameter]], torch.optim.Optimizer],
) -> list[RemovableHandle]:
    """Step each parameter when its gradient is complete, and drop the gradient.

    One backward() call is then one training step. Nothing may need all gradients
    (clipping by total norm) or keep them (accumulation, a gradient scaler).

    Args:
        parameters: those that require grad get an optimizer each.
        make_optimizer: for example lambda ps: torch.optim.AdamW(ps, lr=1e-3).

    Returns:
        One handle per parameter; call remove() on each to end it.
    """
    parameters = [p for p in parameters if p.requires_grad]
    optimizers = {p: make_optimizer([p]) for p in parameters}

    def step(parameter: torch.Tensor) -> None:
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    return [p.register_post_accumulate_grad_hook(step) for p in parameters]


def gradient_mib(in_backward: bool) -> list[float]:
    """MiB of gradients that are alive when each layer's gradient is complete."""
    model = nn.Sequential(*[nn.Linear(512, 512, bias=False) for _ in range(8)])
    found = []

    def note(_: torch.Tensor) -> None:
        alive = [p.grad.nbytes for p in model.parameters() if p.grad is not None]
        found.append(sum(alive) / 2**20)

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(note)
    if in_backward:
        step_in_backward(model.parameters(), lambda ps: torch.optim.SGD(ps, lr=0.1))
    model(torch.ones(4, 512)).sum().backward()
    return found


if __name__ == "__main__":
    layers = torch.arange(8)
    for in_backward, name in ((False, "step() afterwards"), (True, "in backward")):
        found = gradient_mib(in_backward)
        print(f"{name:17} at most {max(found):.0f} MiB of gradients")
        plt.bar(layers + (0.2 if in_backward else -0.2), found, 0.4, label=name)
    plt.xticks(layers, range(8, 0, -1))
    plt.xlabel("layer whose gradient is complete")
    plt.ylabel("gradients alive (MiB)")
    plt.legend()
    plt.show()
