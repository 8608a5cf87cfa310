# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch

Activation = Callable[[torch.Tensor], torch.Tensor]


def spreads(
    f: Activation, gain: float, layers: int, width: int = 256
) -> list[float]:
    """Standard deviation before and after each layer ``f(W h)`` of a network.

    Args:
        f: the activation, elementwise.
        gain: variance of a weight times ``width``, its fan-in.

    Returns:
        ``layers + 1`` numbers, from float64; the first is the input's, about 1.
    """
    h = torch.randn(64, width, dtype=torch.float64)
    found = [h.std().item()]
    for _ in range(layers):
        w = torch.randn(width, width, dtype=torch.float64) * (gain / width) ** 0.5
        h = f(h @ w.T)
        found.append(h.std().item())
    return found


if __name__ == "__main__":
    torch.manual_seed(0)
    _, panels = plt.subplots(1, 2, sharey=True)
    lines = {
        "1/3, nn.Linear": (1 / 3, ":"),
        "1, Xavier": (1, "--"),
        "2, He": (2, "-"),
    }
    for panel, f in zip(panels, (torch.tanh, torch.relu), strict=True):
        for label, (gain, style) in lines.items():
            curve = spreads(f, gain, layers=50)
            print(f"{f.__name__}, {label:14} {curve[10]:.0e} {curve[50]:.0e}")
            panel.plot(curve, style, label=label)
        panel.set_title("ReLU" if f is torch.relu else "tanh")
        panel.set_xlabel("layer")
    panels[0].set_yscale("log")
    panels[0].set_ylabel("std of the activations")
    panels[0].legend(title="var * fan_in", loc="lower left")
    plt.show()
