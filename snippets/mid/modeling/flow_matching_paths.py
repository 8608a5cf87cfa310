# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch

MODES, WIDTH = torch.tensor([-1.0, 1.0]).double(), 0.05


def velocity(x: torch.Tensor, t: float) -> torch.Tensor:
    """Mean of data - noise over the pairs whose line is at x (n, 1) at time t."""
    spread = (1 - t) ** 2 + (t * WIDTH) ** 2
    off = x - t * MODES
    weight = (-off.square() / (2 * spread)).softmax(dim=1)
    return (weight * (MODES + (t * WIDTH**2 - (1 - t)) / spread * off)).sum(1, True)


def paths(noise: torch.Tensor, steps: int = 64) -> torch.Tensor:
    """The samples (steps + 1, n) from time 0 to 1."""
    at = [noise]
    for i in range(steps):
        at.append(at[-1] + velocity(at[-1], i / steps) / steps)
    return torch.cat(at, dim=1).T


if __name__ == "__main__":
    torch.manual_seed(0)
    noise = torch.randn(2000, 1, dtype=torch.double)
    data = MODES[torch.randint(2, (2000, 1))] + WIDTH * torch.randn_like(noise)
    found = paths(noise)
    for name, end in {
        "pairs of the training": data,
        "samples": found[-1][:, None],
    }.items():
        crossed = (noise * end < 0).double().mean()
        print(f"{name}: {crossed:.0%} end on the other side of 0")
    figure, axes = plt.subplots(
        1, 2, figsize=(7, 3.2), sharey=True, layout="constrained"
    )
    pairs = torch.stack([noise[:40, 0], data[:40, 0]])
    axes[0].plot([0, 1], pairs, color="C0", linewidth=0.6)
    axes[1].plot(torch.linspace(0, 1, 65), found[:, :40], color="C1", linewidth=0.6)
    for ax, title in zip(axes, ("training: pairs", "sampling: the mean")):
        ax.set(title=title, xlabel="t", ylabel="x")
    plt.show()
