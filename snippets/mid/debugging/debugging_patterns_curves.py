# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import copy

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

FAULTS = ("none", "A", "B", "C")


class Net(nn.Module):
    """Logits, shape (N, 2), for sequences x, shape (N, 4, 5)."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.layers = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.fault == "B":
            x = x.transpose(0, 1)  # time first, as some recurrent layers want it
        return self.layers(x.reshape(-1, 20))


def losses(fault: str, one_batch: bool, seed: int = 0) -> list[float]:
    """The training loss of 400 steps on one batch, or on 4,096 samples."""
    torch.manual_seed(seed)
    x = torch.randn(4096, 4, 5)
    y = (x.sum(dim=(1, 2)) > 0).long()
    if fault == "A":
        y = y[torch.randperm(len(y))]
    model = Net(fault)
    trained = copy.deepcopy(model) if fault == "C" else model
    optimizer = torch.optim.Adam(trained.parameters(), lr=3e-3)
    found = []
    for _ in range(400):
        rows = torch.arange(32) if one_batch else torch.randint(len(y), (32,))
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


if __name__ == "__main__":
    figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True)
    print("fault   all data   one batch")
    for fault, style in zip(FAULTS, ("-", "--", ":", "-.")):
        row = f"{fault:7}"
        for axis, one_batch in zip(axes, (False, True)):
            found = losses(fault, one_batch)
            blocks = torch.tensor(found).view(-1, 10).mean(dim=1)
            axis.plot(range(5, 400, 10), blocks, style, label=fault)
            verdict = "falls" if blocks[-5:].mean() < 0.1 else "flat"
            row += f"{verdict:>11}"
        print(row)
    axes[0].set(xlabel="step", ylabel="training loss", title="all data")
    axes[1].set(xlabel="step", title="one batch")
    axes[1].legend(title="fault")
    plt.show()
