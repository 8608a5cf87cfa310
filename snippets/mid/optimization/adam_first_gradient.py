import torch


def first_move(kind: str, frozen_steps: int, lr: float = 0.1) -> float:
    """Length of a weight's first real step, in units of ``lr``.

    Args:
        kind: what the weight gets during the first ``frozen_steps`` steps:
            "no gradient" (None) or "zero gradient" (a tensor of zeros).
    """
    w = torch.zeros(1, requires_grad=True)
    other = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([w, other], lr=lr)
    for _ in range(frozen_steps):
        w.grad = None if kind == "no gradient" else torch.zeros(1)
        other.grad = torch.ones(1)
        optimizer.step()
    w.grad = torch.ones(1)
    optimizer.step()
    return -w.item() / lr


if __name__ == "__main__":
    print("steps before the first gradient    0   1000   5000")
    for kind in ("no gradient", "zero gradient"):
        moves = [first_move(kind, steps) for steps in (0, 1000, 5000)]
        print(f"{kind:32}", "  ".join(f"{move:.2f}" for move in moves))
