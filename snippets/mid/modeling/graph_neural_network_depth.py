# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def differences(rounds: int, n: int = 120) -> torch.Tensor:
    """Spread of a random feature after each round of D^-1/2 (A + I) D^-1/2.

    Two groups of n / 2 nodes, joined with probability 0.15 inside, 0.01 across.

    Returns:
        float64, shape (rounds + 1, 2): between the groups' means; within them.
    """
    generator = torch.Generator().manual_seed(0)
    group = torch.arange(n) % 2
    chance = torch.where(group[:, None] == group, 0.15, 0.01)
    a = (torch.rand(n, n, generator=generator) < chance).triu(1).double()
    a = a + a.T + torch.eye(n, dtype=torch.float64)
    root = a.sum(dim=1).sqrt()
    x = torch.randn(n, 64, generator=generator, dtype=torch.float64)
    x = x * root[:, None]
    found = []
    for _ in range(rounds + 1):
        even, odd = (x / root[:, None])[0::2], (x / root[:, None])[1::2]
        between = (even.mean(dim=0) - odd.mean(dim=0)).square().mean().sqrt()
        within = ((even.var(dim=0) + odd.var(dim=0)) / 2).mean().sqrt()
        found.append(torch.stack([between, within]))
        x = (a @ (x / root[:, None])) / root[:, None]
    return torch.stack(found)


if __name__ == "__main__":
    found = differences(rounds=40)
    for k in (0, 2, 4, 16, 40):
        between, within = found[k].tolist()
        print(f"{k:2} rounds: between {between:.3f}, within {within:.3f}")
    plt.plot(found[:, 0], "-", label="between the groups")
    plt.plot(found[:, 1], "--", label="within a group")
    plt.yscale("log")
    plt.xlabel("rounds of message passing")
    plt.ylabel("difference of a feature")
    plt.legend()
    plt.show()
