# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch.nn.utils import clip_grad_norm_


def steps(
    spike: float, max_norm: float, count: int = 120, beta2: float = 0.999
) -> list[float]:
    """Lengths of Adam's steps, in units of its learning rate, on one weight.

    The gradient is 1, except at step 20, where it is ``spike``.
    """
    w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=1.0, betas=(0.9, beta2))
    found = []
    for t in range(count):
        before = w.item()
        w.grad = torch.full_like(w, spike if t == 20 else 1.0)
        clip_grad_norm_([w], max_norm)
        optimizer.step()
        found.append(before - w.item())
    return found


if __name__ == "__main__":
    for label, max_norm in (("no clipping", torch.inf), ("max_norm = 1", 1.0)):
        lengths = steps(1000.0, max_norm)
        plt.plot(lengths, label=label)
        print(
            f"{label:12} longest {max(lengths):.2f}, at step 100 {lengths[100]:.2f}"
        )
    plt.xlabel("step; the gradient is 1000 at step 20 and 1 elsewhere")
    plt.ylabel("step length / learning rate")
    plt.legend()
    plt.show()
