from collections.abc import Callable

import torch

RANKS = 2


def shard(
    x: torch.Tensor,
    up: torch.Tensor,
    down: torch.Tensor,
    activation: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """``activation(x @ up) @ down`` with ``up`` cut by columns, ``down`` by rows.

    Args:
        x: shape (n, d), whole on every rank.
        up: shape (d, h); ``RANKS`` divides h.
        down: shape (h, d).
        activation: what each rank applies to its part, shape (n, h / RANKS).
    """
    columns, rows = up.chunk(RANKS, dim=1), down.chunk(RANKS, dim=0)
    parts = [
        activation(x @ column) @ row
        for column, row in zip(columns, rows, strict=True)
    ]
    return sum(parts)  # all-reduce


if __name__ == "__main__":
    x, up, down = torch.ones(1, 1), torch.zeros(1, 4), torch.ones(4, 1)
    for activation in (torch.sigmoid, lambda z: z.softmax(-1)):
        whole = activation(x @ up) @ down
        print(whole.item(), shard(x, up, down, activation).item())
