import torch
import torch.nn.functional as F
from torch import nn

OPTIMIZERS = {
    "SGD": lambda parameters, lr: torch.optim.SGD(parameters, lr=lr),
    "SGD, momentum 0.9": lambda parameters, lr: torch.optim.SGD(
        parameters, lr=lr, momentum=0.9
    ),
    "AdamW": lambda parameters, lr: torch.optim.AdamW(parameters, lr=lr),
}


def final_loss(
    name: str, lr: float, reduction: str = "mean", steps: int = 100
) -> float:
    """Train a small classifier with mini-batches of 64; everything but the arguments is the same in every call.

    Args:
        name: a key of ``OPTIMIZERS``.
        reduction: of the training loss: "mean", or "sum", which makes every gradient 64 times as large.

    Returns:
        The mean cross-entropy over all 1,024 samples after training.
    """
    torch.manual_seed(0)
    x = torch.randn(1024, 16)
    y = ((x @ torch.randn(16, 4)).relu() @ torch.randn(4, 4)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = OPTIMIZERS[name](model.parameters(), lr)
    for _ in range(steps):
        batch = torch.randint(len(x), (64,))
        optimizer.zero_grad()
        F.cross_entropy(model(x[batch]), y[batch], reduction=reduction).backward()
        optimizer.step()
    with torch.no_grad():
        return F.cross_entropy(model(x), y).item()


if __name__ == "__main__":
    rates = (0.003, 0.03, 0.3)
    print(f"{'loss after 100 steps, lr':25}", *[f"{rate:>10}" for rate in rates])
    for reduction in ("mean", "sum"):
        print(f"reduction={reduction!r}")
        for name in OPTIMIZERS:
            losses = [final_loss(name, rate, reduction) for rate in rates]
            cells = [f"{loss:.2f}" if loss < 2 else "diverged" for loss in losses]
            print(f"  {name:23}", *[f"{cell:>10}" for cell in cells])
