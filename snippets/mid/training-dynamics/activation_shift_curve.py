# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8", "scikit-learn"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


def log(norm: type[nn.Module] | None, steps: int, lr: float = 0.1, hidden: int = 3):
    """Mean and std of the inputs of each ReLU while a network learns 8x8 digits.

    Full-batch gradient descent in float64 on 400 digits, 64 units per layer, He
    weights; ``norm`` stands before each ReLU.

    Returns:
        float64, shape (steps + 1, hidden, 2), and the loss before each step.
    """
    torch.manual_seed(0)
    digits = load_digits()
    x, y = torch.tensor(digits.data[:400] / 16), torch.tensor(digits.target[:400])
    x = (x - x.mean()) / x.std()
    linears = [nn.Linear(64, 64) for _ in range(hidden)]
    head, norms = (
        nn.Linear(64, 10),
        [norm(64) if norm else nn.Identity() for _ in linears],
    )
    model = nn.ModuleList([*linears, *norms, head]).double()
    for layer in (*linears, head):
        nn.init.kaiming_normal_(layer.weight)
        nn.init.zeros_(layer.bias)
    seen, losses = [], []
    for _ in range(steps + 1):
        h, row = x, []
        for linear, normalize in zip(linears, norms, strict=True):
            z = normalize(linear(h))
            row.append([z.mean().item(), z.std().item()])
            h = torch.relu(z)
        loss = F.cross_entropy(head(h), y)
        seen.append(row)
        losses.append(loss.item())
        weights = list(model.parameters())
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for w, g in zip(weights, gradients, strict=True):
                w -= lr * g
    return torch.tensor(seen), losses


if __name__ == "__main__":
    torch.set_num_threads(1)
    _, panels = plt.subplots(1, 2)
    print("input of the last ReLU     mean        std    loss")
    cases = {
        "none": (None, "-"),
        "batch": (nn.BatchNorm1d, "--"),
        "layer": (nn.LayerNorm, ":"),
    }
    for name, (norm, style) in cases.items():
        seen, losses = log(norm, steps=60)
        for step in (0, 60):
            mean, std = seen[step, -1]
            print(f"{name:6} step {step:2} {mean:14.1f} {std:10.1f}", end=" ")
            print(f"{losses[step]:7.1f}")
        for i, panel in enumerate(panels):
            panel.plot(seen[:, -1, i], style, label=name)
    for panel, what in zip(panels, ("mean", "std"), strict=True):
        panel.set_xlabel("step")
        panel.set_title(what)
    panels[0].set_ylabel("input of the last ReLU")
    panels[1].legend(title="norm", loc=(0.4, 0.12))
    plt.show()
