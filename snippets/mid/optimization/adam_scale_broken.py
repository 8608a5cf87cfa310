import torch


def trained(scale: float, kind: type = torch.optim.Adam, **options: float):
    """Three weights, shape (3,), after 50 steps on ``scale`` times a loss."""
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    optimizer = kind([w], lr=0.01, **options)
    for _ in range(50):
        optimizer.zero_grad()
        (scale * (w - 5).square().sum()).backward()
        optimizer.step()
    return w.detach()


if __name__ == "__main__":
    for kind, decay in (("Adam", 0.0), ("Adam", 0.1), ("AdamW", 0.1)):
        print(f"{kind}, weight_decay={decay}")
        for scale in (1, 0.001):
            w = trained(scale, getattr(torch.optim, kind), weight_decay=decay)
            print(f"    loss times {scale:5}: {[round(x, 2) for x in w.tolist()]}")
