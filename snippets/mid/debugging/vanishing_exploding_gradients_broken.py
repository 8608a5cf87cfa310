import torch
from torch import nn


def train(gain: float, rate: float, clip: float | None = None, seed: int = 0):
    """First total gradient norm, and the last loss of 30 steps of SGD.

    Args:
        gain: factor on the He initialization.
        clip: largest total norm, or None.
    """
    torch.manual_seed(seed)
    x, y = torch.randn(64, 32), torch.randn(64, 1)
    layers = [nn.Linear(32, 32) for _ in range(10)]
    for layer in layers:
        nn.init.kaiming_normal_(layer.weight)
        layer.weight.data *= gain
    parts = [part for layer in layers for part in (layer, nn.ReLU())]
    model = nn.Sequential(*parts, nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    first = None
    for _ in range(30):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
        first = norm.item() if first is None else first
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
    return first, loss.item()


if __name__ == "__main__":
    cases = {
        "weights too large": (3.0, 0.01),
        "rate too high": (1.0, 10.0),
        "weights, clipped": (3.0, 0.01, 1.0),
        "rate, clipped": (1.0, 10.0, 1.0),
    }
    print("                   first norm above 1e6   loss finite   loss below 0.5")
    for name, case in cases.items():
        first, last = train(*case)
        finite = abs(last) < float("inf")
        print(f"{name:18}{first > 1e6!s:>21}{finite!s:>14}{last < 0.5!s:>17}")
