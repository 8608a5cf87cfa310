# /// script
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import torch
import torch.nn.functional as F
from torch import nn

OPTIMIZERS = {
    "SGD": lambda weights, lr: torch.optim.SGD(weights, lr=lr),
    "SGD, momentum 0.9": lambda weights, lr: torch.optim.SGD(
        weights, lr=lr, momentum=0.9
    ),
    "AdamW": lambda weights, lr: torch.optim.AdamW(weights, lr=lr),
}


def final_loss(
    name: str, lr: float, reduction: str = "mean", steps: int = 100, seed: int = 0
) -> float:
    """Mean cross-entropy over 1,024 samples after mini-batches of 64.

    Args:
        name: a key of ``OPTIMIZERS``.
        reduction: of the training loss: "mean", or "sum", whose gradients are
            64 times as large.
    """
    torch.manual_seed(seed)
    x = torch.randn(1024, 16)
    y = ((x @ torch.randn(16, 4)).relu() @ torch.randn(4, 4)).argmax(dim=1)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = OPTIMIZERS[name](model.parameters(), lr)
    for _ in range(steps):
        batch = torch.randint(len(x), (64,))
        loss = F.cross_entropy(model(x[batch]), y[batch], reduction=reduction)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return F.cross_entropy(model(x), y).item()


if __name__ == "__main__":
    rates = (0.001, 0.03, 0.2)
    print(f"{'loss after 100 steps, lr':25}", *[f"{rate:>8}" for rate in rates])
    for reduction in ("mean", "sum"):
        print(f"reduction={reduction!r}")
        for name in OPTIMIZERS:
            losses = [final_loss(name, rate, reduction) for rate in rates]
            cells = [f"{loss:.2f}" if loss < 2 else "over 2" for loss in losses]
            print(f"  {name:23}", *[f"{cell:>8}" for cell in cells])
    print("five seeds, each optimizer at its own rate")
    for name, rate in zip(OPTIMIZERS, (1.0, 0.2, 0.03)):
        losses = [final_loss(name, rate, seed=seed) for seed in range(5)]
        label = f"{name}, lr {rate}"
        print(f"  {label:25} {min(losses):6.2f} to {max(losses):.2f}")
