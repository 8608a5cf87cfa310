import torch
from torch import Tensor, nn

OPTIMIZERS = {
    "SGD": (torch.optim.SGD, {}),
    "SGD, momentum": (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1}),
    "Adam": (torch.optim.Adam, {}),
    "AdamW": (torch.optim.AdamW, {"weight_decay": 0.1}),
    "RMSprop": (torch.optim.RMSprop, {}),
    "Adagrad": (torch.optim.Adagrad, {}),
}


def train(batches: Tensor, every: int, kind: type, options: dict) -> list[Tensor]:
    """Weights and optimizer state after one pass.

    Args:
        batches: float64, shape (number of micro-batches, samples, 4).
        every: micro-batches per step; divides their number.
        kind, options: the optimizer's class and its arguments besides ``lr``.
    """
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    optimizer = kind(model.parameters(), lr=0.01, **options)
    for i, x in enumerate(batches, start=1):
        target = x.prod(dim=1, keepdim=True)
        (nn.functional.mse_loss(model(x), target) / every).backward()
        if i % every == 0:
            optimizer.step()
            optimizer.zero_grad()
    found = [p.detach() for p in model.parameters()]
    for state in optimizer.state_dict()["state"].values():
        found += [value for value in state.values() if value is not None]
    return found


def differ(a: list[Tensor], b: list[Tensor]) -> float:
    return max((x - y).abs().max().item() for x, y in zip(a, b, strict=True))


if __name__ == "__main__":
    g = torch.Generator().manual_seed(1)
    small = torch.randn(64, 16, 4, generator=g, dtype=torch.float64)
    print("accumulated compared with    large batch    small batches")
    for name, (kind, options) in OPTIMIZERS.items():
        accumulated = train(small, 8, kind, options)
        to_large = differ(
            accumulated, train(small.view(8, 128, 4), 1, kind, options)
        )
        to_small = differ(accumulated, train(small, 1, kind, options))
        cells = ["same" if d < 1e-12 else "differs" for d in (to_large, to_small)]
        print(f"  {name:20} {cells[0]:>17} {cells[1]:>16}")
