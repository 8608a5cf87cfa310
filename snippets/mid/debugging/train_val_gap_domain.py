import torch
import torch.nn.functional as F
from torch import nn


def domain_accuracy(old: torch.Tensor, new: torch.Tensor) -> tuple[float, int]:
    """Train a classifier on half of the rows to tell two sets of inputs apart.

    Both sets have shape (rows, features), with the same even number of rows. The
    features have one scale: one that is large drowns a shift of the others.

    Returns:
        Accuracy on the other half, and the feature whose shuffling lowers it most.
    """
    rows = len(old) // 2
    train, test = (
        torch.cat([old[:rows], new[:rows]]),
        torch.cat([old[rows:], new[rows:]]),
    )
    y = torch.arange(2).repeat_interleave(rows)
    model = nn.Sequential(nn.Linear(old.shape[1], 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        F.cross_entropy(model(train), y).backward()
        optimizer.step()

    def accuracy(x: torch.Tensor) -> float:
        with torch.no_grad():
            return (model(x).argmax(1) == y).double().mean().item()

    shuffled = []
    for feature in range(old.shape[1]):
        x = test.clone()
        x[:, feature] = x[torch.randperm(len(x)), feature]
        shuffled.append(accuracy(x))
    return accuracy(test), shuffled.index(min(shuffled))


def sets(shift: str, rows: int = 2000) -> tuple[torch.Tensor, torch.Tensor]:
    """Old and new inputs (rows, 10); feature 1 of the old follows feature 0."""
    old, new = torch.randn(2, rows, 10)
    for x in (old, new):
        x[:, 1] = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    if shift == "feature 3 has an offset":
        new[:, 3] += 1
    elif shift == "correlation of 0 and 1 is gone":
        new[:, 1] = torch.randn(rows)
    return old, new


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print(f"{'':32}difference of means  accuracy  feature")
    for shift in (
        "nothing has changed",
        "feature 3 has an offset",
        "correlation of 0 and 1 is gone",
    ):
        old, new = sets(shift)
        moved = (new.mean(0) - old.mean(0)).abs().max()
        found, feature = domain_accuracy(old, new)
        chance = 0.5 + 3 * (0.25 / len(old)) ** 0.5  # as many rows are held out
        named = feature if found > chance else "none"
        print(f"{shift:32}{moved:19.2f}{found:10.1f}{named:>9}")
