# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.optim import Adam, SparseAdam


def positions(
    make: type[torch.optim.Optimizer], touched: list[int], steps: int = 120
) -> list[float]:
    """The weight of one row after each step, in units of the learning rate.

    The row is in the batches of the steps ``touched`` with gradient -1, and in no
    other. Another row is in every batch.
    """
    table = nn.Parameter(torch.zeros(2, 1, dtype=torch.float64))
    optimizer = make([table], lr=1.0)
    found = []
    for step in range(steps):
        rows = [[0, 1] if step in touched else [1]]
        values = -torch.ones(len(rows[0]), 1, dtype=torch.float64)
        with torch.sparse.check_sparse_tensor_invariants():
            gradient = torch.sparse_coo_tensor(rows, values, (2, 1))
        table.grad = gradient if make is SparseAdam else gradient.to_dense()
        optimizer.step()
        found.append(table[0].item())
    return found


if __name__ == "__main__":
    for make, style in ((Adam, "-"), (SparseAdam, "--")):
        path = positions(make, [10, 50])
        name = make.__name__
        plt.plot(path, style, label=name)
        print(
            f"{name:10} after step 10: {path[10]:.2f}, 49: {path[49]:.2f},", end=" "
        )
        print(f"50: {path[50]:.2f}, 119: {path[119]:.2f}")
    plt.xlabel("step; the row is in the batches of steps 10 and 50")
    plt.ylabel("weight of the row / learning rate")
    plt.legend()
    plt.show()
