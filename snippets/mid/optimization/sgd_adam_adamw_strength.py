import torch
from torch.optim import SGD, Adam, AdamW

STEPS = 2000


def kept(build: type[torch.optim.Optimizer], lr: float, size: float) -> float:
    """Share of a weight that weight decay leaves, under gradients of +-size.

    The gradients have no net direction, so only the decay moves the weight far.
    """
    w = torch.tensor([100.0], dtype=torch.float64, requires_grad=True)
    optimizer = build([w], lr=lr, weight_decay=0.1)
    for step in range(STEPS):
        w.grad = torch.tensor([(-1) ** step * size], dtype=torch.float64)
        optimizer.step()
    return w.item() / 100


if __name__ == "__main__":
    sizes = (1000.0, 100.0, 10.0)
    print(f"kept after {STEPS} steps, gradients of", *[f"{s:>6g}" for s in sizes])
    for build in (SGD, Adam, AdamW):
        for lr in (0.001, 0.005):
            shares = [kept(build, lr, size) for size in sizes]
            print(
                f"  {build.__name__:6} lr {lr:<21}", *[f"{s:6.2f}" for s in shares]
            )
