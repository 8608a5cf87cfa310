import torch


def plateaus(fault: str, seed: int = 0) -> tuple[float, float]:
    """Mean loss of the last 400 steps at a rate, and then at a tenth of it."""
    torch.manual_seed(seed)
    rate = 0.12 if fault == "rate too high" else 0.004
    w = torch.zeros(10, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=rate)
    found = []
    for divisor in (1, 10):
        optimizer.param_groups[0]["lr"] = rate / divisor
        losses = []
        for _ in range(1200):
            x = torch.randn(4, 10)
            y = x.sum(dim=1) + torch.randn(4)  # noise of variance 1
            if fault == "term missing":
                y = y + 0.8 * (x[:, 0].square() - 1)  # no linear model has it
            loss = (x @ w - y).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        found.append(sum(losses[-400:]) / 400)
    return found[0], found[1]


if __name__ == "__main__":
    for fault in ("rate too high", "term missing"):
        first, second = plateaus(fault)
        verdict = "falls" if second < 0.85 * first else "stays"
        print(f"{fault:14}  above 1.2: {first > 1.2}, after rate / 10: {verdict}")
