from math import comb

import torch


def compare(a, b):
    """B's lead, half its 95% interval, and McNemar's p, from right or wrong."""
    lead = b.double() - a.double()
    half = 1.96 * lead.std() / len(lead) ** 0.5
    wins, losses = (lead > 0).sum().item(), (lead < 0).sum().item()
    n, most = wins + losses, max(wins, losses)
    p = 2 * sum(comb(n, k) for k in range(most, n + 1)) / 2**n
    return lead.mean().item(), half.item(), min(1.0, p)


if __name__ == "__main__":
    a = torch.arange(500) < 350  # right on 350 of 500, so 70%
    for lost in 0, 5, 20, 100:
        # B has the others right, too, but for some; and 10 more than these.
        b = (torch.arange(500) >= lost) & (torch.arange(500) < 360 + lost)
        lead, half, p = compare(a, b)
        row = f"wins {lost + 10:3}, losses {lost:3}"
        print(f"{row}: {lead:.1%} +- {half:.1%}, p = {p:.3f}")
