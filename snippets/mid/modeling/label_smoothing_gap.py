# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math

import matplotlib.pyplot as plt
import torch


def gaps(target: torch.Tensor, steps: list[int], lr: float = 1.0) -> list[float]:
    """Logit 0 minus logit 1 after each number of steps of gradient descent.

    Args:
        target: float64, shape (K,), probabilities of one example; from logits 0.
        steps: increasing.
    """
    logits, found = torch.zeros_like(target), []
    for step in range(1, steps[-1] + 1):
        logits = logits - lr * (logits.softmax(dim=0) - target)
        if step in steps:
            found.append((logits[0] - logits[1]).item())
    return found


if __name__ == "__main__":
    K, eps = 5, 0.1
    label = torch.zeros(K, dtype=torch.float64)
    label[0] = 1
    even = (1 - eps) * label + eps / K
    rest = (1 - eps) * label + eps / (K - 1) * (1 - label)
    optimum = {
        "one-hot": math.inf,
        "eps / K": math.log((1 - eps + eps / K) / (eps / K)),
        "eps / (K - 1)": math.log((1 - eps) / (eps / (K - 1))),
    }
    steps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    for (name, best), target, style in zip(
        optimum.items(), (label, even, rest), ("-", "--", ":"), strict=True
    ):
        found = gaps(target, steps)
        print(f"{name:14} after 4096 steps {found[-1]:.4f}   optimum {best:.4f}")
        plt.plot(steps, found, style, label=name)
    plt.xscale("log")
    plt.xlabel("step of gradient descent")
    plt.ylabel("right logit - wrong logit")
    plt.legend(title="target")
    plt.show()
