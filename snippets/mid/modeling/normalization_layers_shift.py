# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

NORMS = {
    "BatchNorm": nn.BatchNorm1d,
    "LayerNorm": nn.LayerNorm,
    "RMSNorm": nn.RMSNorm,
    "none": lambda width: nn.Identity(),
}


def train(name: str, seed: int) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """A model trained on 700 digits, and 1,097 others with their labels."""
    torch.manual_seed(seed)
    data = load_digits()
    x, y = torch.tensor(data.data) / 16, torch.tensor(data.target)
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    first, last = nn.Linear(64, 64, bias=False), nn.Linear(64, 10)
    model = nn.Sequential(first, NORMS[name](64), nn.ReLU(), last).double()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(40):
        optimizer.zero_grad()
        F.cross_entropy(model(x[:700]), y[:700]).backward()
        optimizer.step()
    return model.eval(), x[700:], y[700:]


def accuracy(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, mode: bool = False
) -> float:
    """Percent of the rows of ``x`` that are predicted, after ``train(mode)``."""
    with torch.no_grad():
        return (
            model.train(mode)(x).argmax(dim=1) == y
        ).double().mean().item() * 100


if __name__ == "__main__":
    torch.set_num_threads(1)
    shifts = {"same": (1, 0), "x / 4": (0.25, 0), "x + 1": (1, 1)}
    print(
        "percent correct, 3 seeds",
        "     ".join(f"{what:8}" for what in shifts).rstrip(),
    )
    for name in (*NORMS, "BatchNorm, train()"):
        mode = "train" in name
        row = []
        runs = [train(name.split(",")[0], seed) for seed in range(3)]
        for scale, offset in shifts.values():
            found = [accuracy(m, x * scale + offset, y, mode) for m, x, y in runs]
            row.append(f"{min(found):.0f} to {max(found):.0f}")
        print(f"{name:24}", "     ".join(row))
