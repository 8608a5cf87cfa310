# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def data(n: int) -> tuple[Tensor, Tensor]:
    """Rows (n, 20) of ten overlapping classes, and labels (n,)."""
    y = torch.randint(10, (n,))
    centers = torch.eye(10, 20, dtype=torch.double)
    return 2 * centers[y] + torch.randn(n, 20, dtype=torch.double), y


def fit(logits: Tensor, y: Tensor) -> float:
    """The temperature with the lowest loss, on a grid from 0.1 to 10."""
    grid = torch.logspace(-1, 1, 201, dtype=torch.double)
    return min(grid.tolist(), key=lambda t: F.cross_entropy(logits / t, y).item())


def bars(probs: Tensor, y: Tensor) -> tuple[list[float], list[float], float]:
    """Mean confidence and share right in each of ten bins, and the ECE."""
    confidence, guess = probs.max(dim=1)
    right, place = (guess == y).double(), (confidence * 10).ceil()
    inside = [place == i for i in range(1, 11) if (place == i).any()]
    said = [confidence[one].mean().item() for one in inside]
    was = [right[one].mean().item() for one in inside]
    gaps = [one.sum().item() * abs(a - b) for one, a, b in zip(inside, said, was)]
    return said, was, sum(gaps) / len(y)


def overfitted() -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    """A network that knows its 500 rows by heart, and these rows."""
    x, y = data(500)
    model = nn.Sequential(
        nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 10)
    ).double()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(150):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model.requires_grad_(False), (x, y)


if __name__ == "__main__":
    torch.manual_seed(0)
    model, (x, y) = overfitted()
    (x_held, y_held), (x_test, y_test) = data(500), data(5000)
    found = {
        "as trained": 1.0,
        "fitted on its training rows": fit(model(x), y),
        "fitted on held-out rows": fit(model(x_held), y_held),
    }
    plt.figure(figsize=(4.6, 3.6))
    plt.plot([0, 1], [0, 1], color="gray", linewidth=1)
    for name, t in found.items():
        logits = model(x_test) / t
        right = (logits.argmax(dim=1) == y_test).double().mean()
        said, was, error = bars(logits.softmax(dim=1), y_test)
        loss = F.cross_entropy(logits, y_test)
        print(f"{name}, T {t:.2f}:")
        print(f"  right {right:.3f}, ECE {error:.2f}, loss {loss:.2f}")
        plt.plot(said, was, "o-", label=f"T {t:.1f}")
    plt.xlabel("the model says")
    plt.ylabel("it is right")
    plt.legend()
    plt.show()
