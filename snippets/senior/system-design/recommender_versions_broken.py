# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import torch
import torch.nn.functional as F
from torch import Tensor, nn


def world(seed: int = 0, users: int = 500, items: int = 1000) -> tuple[Tensor, ...]:
    """Features of users and items (32 each), true taste, and 10,000 clicks.

    Returns:
        Users (users, 32), items (items, 32), taste (users, items) between -1 and
        1, and clicks (10000, 2) of a user and an item each.
    """
    make = torch.Generator().manual_seed(seed)
    user, item = (torch.randn(n, 32, generator=make) for n in (users, items))
    left, right = (torch.randn(32, 8, generator=make) for _ in range(2))
    taste = F.normalize(user @ left, dim=1) @ F.normalize(item @ right, dim=1).T
    who = torch.randint(users, (10_000,), generator=make)
    what = torch.multinomial((10 * taste).softmax(1)[who], 1, generator=make)
    return user, item, taste, torch.stack([who, what[:, 0]], dim=1)


def train(
    data: tuple[Tensor, ...], seed: int, start: nn.ModuleList | None = None
) -> nn.ModuleList:
    """Train a user tower and an item tower with in-batch negatives."""
    user, item, _, clicks = data
    torch.manual_seed(seed)
    towers = nn.ModuleList(nn.Linear(32, 16, bias=False) for _ in range(2))
    if start is not None:
        towers.load_state_dict(start.state_dict())
    optimizer = torch.optim.Adam(towers.parameters(), lr=0.02)
    for _ in range(120):
        who, what = clicks[torch.randint(len(clicks), (128,))].T
        scores = (
            10 * vectors(towers[0], user[who]) @ vectors(towers[1], item[what]).T
        )
        loss = F.cross_entropy(scores, torch.arange(128))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return towers


def vectors(tower: nn.Module, features: Tensor) -> Tensor:
    """One vector of length 1 per row."""
    return F.normalize(tower(features), dim=1)


@torch.no_grad()
def recall(query: nn.Module, index: nn.Module, data: tuple[Tensor, ...]) -> float:
    """Share of each user's true top 10 among the 50 items that retrieval finds."""
    user, item, taste, _ = data
    found = (vectors(query, user) @ vectors(index, item).T).topk(50).indices
    hits = taste.topk(10).indices[:, :, None] == found[:, None, :]
    return hits.any(2).float().mean().item()


if __name__ == "__main__":
    data = world()
    old = train(data, seed=1)
    new, tuned = train(data, seed=2), train(data, seed=3, start=old)
    print("user tower       index  recall")
    print(f"old              old    {recall(old[0], old[1], data):.2f}")
    print(f"new              new    {recall(new[0], new[1], data):.2f}")
    print(f"new              old    {recall(new[0], old[1], data):.2f}")
    print(f"old, fine-tuned  old    {recall(tuned[0], old[1], data):.2f}")
    print("50 at random            0.05")
