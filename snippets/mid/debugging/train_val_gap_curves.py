# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn


def draw(count: int, offset: float = 0.0) -> tuple[torch.Tensor, torch.Tensor]:
    """x (count, 10) and labels; a tenth is flipped, x gets an offset."""
    x = torch.randn(count, 10)
    score = x[:, 0] + x[:, 1] + x[:, 0] * x[:, 1]
    return x + offset, ((score > 0) ^ (torch.rand(count) < 0.1)).long()


def curves(count: int, offset: float = 0.0, steps: int = 150) -> torch.Tensor:
    """Losses (steps, 3) on training data, on a slice of it, on validation data."""
    torch.manual_seed(0)
    sets = draw(count), draw(500), draw(500, offset)
    sizes = (10, 32, 32, 2)
    layers = [nn.Linear(*each) for each in zip(sizes, sizes[1:], strict=False)]
    model = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    (x, y), found = sets[0], []
    for _ in range(steps):
        with torch.no_grad():
            found.append([F.cross_entropy(model(a), b).item() for a, b in sets])
        rows = torch.randint(count, (64,))
        optimizer.zero_grad()
        F.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()
    return torch.tensor(found)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)  # the same curves on every CPU
    figure, panels = plt.subplots(1, 3, sharey=True, figsize=(7.2, 3.2))
    for panel, (name, case) in zip(
        panels,
        {
            "too little data": {"count": 30},
            "no regularization": {"count": 300},
            "distribution shift": {"count": 2000, "offset": 1.0},
        }.items(),
        strict=True,
    ):
        found = curves(**case)
        for column, line in ((0, ":"), (1, "--"), (2, "-")):
            panel.plot(found[:, column], line)
        low = found[-1, 1] < found[-1, [0, 2]].mean()
        print(f"{name:19} slice near {'training' if low else 'validation'}")
        panel.set_title(name)
        panel.set_xlabel("step")
    panels[0].set_ylabel("loss")
    panels[0].set_ylim(0, 1.8)
    labels = ("training", "slice of the training data", "validation")
    figure.legend(panels[0].lines, labels, loc="outside upper center", ncols=3)
    plt.show()
