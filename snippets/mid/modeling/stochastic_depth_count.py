# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def active_blocks(drops: torch.Tensor) -> torch.Tensor:
    """Probability that k of the L blocks are active for a sample, k = 0 to L.

    Args:
        drops: drop probability of each block, float64, shape (L,).
    """
    found = torch.ones(1, dtype=torch.float64)
    for drop in drops:
        none, one = torch.zeros(1).double(), found * (1 - drop)
        found = torch.cat([found * drop, none]) + torch.cat([none, one])
    return found


if __name__ == "__main__":
    rules = {
        "0.5 in each block": torch.full((54,), 0.5, dtype=torch.float64),
        "linear, 0 to 0.5": 0.5 * torch.arange(1, 55, dtype=torch.float64) / 54,
    }
    for (name, drops), style in zip(rules.items(), ("s--", "o-")):
        chance = active_blocks(drops)
        mean = (chance * torch.arange(55)).sum()
        print(f"{name:18} {mean:.2f} of 54 blocks are active on average")
        plt.plot(chance, style, markersize=3, label=name)
    plt.xlabel("active blocks of 54, for one sample")
    plt.ylabel("probability")
    plt.legend(loc="upper left")
    plt.show()
