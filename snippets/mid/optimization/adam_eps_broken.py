import torch


def weights_after(
    scale: float, eps: float = 1e-8, weight_decay: float = 0.0, steps: int = 50
) -> torch.Tensor:
    """Three weights after Adam on a quadratic whose loss is scaled.

    Returns:
        float64, shape (3,), from the start (1, 2, 3) towards 5.
    """
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.01, eps=eps, weight_decay=weight_decay)
    for _ in range(steps):
        optimizer.zero_grad()
        (scale * (w - 5).square().sum()).backward()
        optimizer.step()
    return w.detach()


if __name__ == "__main__":
    print("largest change of a weight after 50 steps, against the unscaled loss")
    settings = {
        "eps 1e-8": {},
        "eps 1e-16": {"eps": 1e-16},
        "eps 1e-8, L2 decay 0.1": {"weight_decay": 0.1},
    }
    scales = (1e3, 1e-3, 1e-6, 1e-9)
    print(f"{'loss times':22}", *[f"{scale:>8g}" for scale in scales])
    for name, options in settings.items():
        plain = weights_after(1.0, **options)
        changes = [
            (weights_after(scale, **options) - plain).abs().max().item()
            for scale in scales
        ]
        print(f"{name:22}", *[f"{change:8.4f}" for change in changes])
