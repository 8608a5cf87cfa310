# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.04
# ///
import torch
import torch.nn.functional as F
from torch import nn


def spread(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
    """D^-1/2 (A + I) D^-1/2 x for x of shape (nodes, F) and edges (2, E)."""
    n = len(x)
    source, target = torch.cat([edges, torch.arange(n).expand(2, n)], dim=1)
    scale = torch.bincount(target, minlength=n).rsqrt()
    messages = x[source] * (scale[source] * scale[target])[:, None]
    return torch.zeros_like(x).index_add(0, target, messages)


def communities(seed: int, n: int = 120) -> tuple[torch.Tensor, torch.Tensor]:
    """Undirected edges, int64 (2, E), and the group of each node, int64 (n,).

    Two nodes are joined with probability 0.08 in one group, 0.01 across.
    """
    generator = torch.Generator().manual_seed(seed)
    group = torch.arange(n) % 2
    chance = torch.where(group[:, None] == group, 0.08, 0.01)
    a = (torch.rand(n, n, generator=generator) < chance).triu(1)
    pairs = a.nonzero().T
    return torch.cat([pairs, pairs.flip(0)], dim=1), group


class Net(nn.Module):
    """Two graph convolutions; without edges, a perceptron with one hidden layer."""

    def __init__(self, inputs: int, hidden: int = 16) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(inputs, hidden), nn.Linear(hidden, 2)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return spread(self.b(spread(self.a(x), edges).relu()), edges)


def accuracies(seed: int) -> list[float]:
    """Accuracy on 100 nodes after training on 20: no edges, mixed, true, votes."""
    edges, group = communities(seed)
    n = len(group)
    torch.manual_seed(seed)
    train, test = torch.randperm(n).split([20, n - 20])
    mixed = torch.stack([edges[0], edges[1][torch.randperm(edges.shape[1])]])
    x = torch.eye(n)  # a node's feature is its own name, and says no more
    found = []
    for given in (edges[:, :0], mixed, edges):
        model = Net(n)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
        for _ in range(120):
            optimizer.zero_grad()
            F.cross_entropy(model(x, given)[train], group[train]).backward()
            optimizer.step()
        guess = model(x, given)[test].argmax(dim=1)
        found.append((guess == group[test]).float().mean().item())
    votes = torch.zeros(n, 2)
    votes[train] = F.one_hot(group[train], 2) - 0.5
    for _ in range(4):
        votes = spread(votes, edges)
    guess = votes[test].argmax(dim=1)
    return [*found, (guess == group[test]).float().mean().item()]


if __name__ == "__main__":
    torch.set_num_threads(1)
    table = torch.tensor([accuracies(seed) for seed in range(5)])
    names = ("no edges", "targets of the edges shuffled", "edges", "no training")
    print("accuracy on nodes without label    mean    5 seeds")
    for name, row in zip(names, table.T):
        print(f"{name:31} {row.mean():7.2f}    {row.min():.2f} to {row.max():.2f}")
