# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch

torch.set_num_threads(1)
Run = dict[int, torch.Tensor]
SIZES = (8, 7, 5, 3, 1)
MARKS = (0, 10, 20, 40, 80, 160, 320)


def data() -> tuple[torch.Tensor, torch.Tensor]:
    """All 256 inputs of 8 signs, float64, and a balanced label for each."""
    x = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0])] * 8).double()
    g = torch.Generator().manual_seed(0)
    a, b, c = torch.randn(3, 8, generator=g, dtype=torch.float64)
    score = (x @ a) * (x @ b) + x @ c
    return x, (score > score.median()).double()


def train(act: Callable, gain: float, seeds: int = 8) -> tuple[Run, float]:
    """Train networks of several seeds side by side on the full batch with Adam.

    Returns:
        The last hidden layer after the steps in MARKS, each (seeds, 256, 3), and
        the smallest accuracy of a seed at the end.
    """
    x, y = data()
    g = torch.Generator().manual_seed(0)
    weights = [
        gain * torch.randn(seeds, a, b, generator=g, dtype=torch.float64) / a**0.5
        for a, b in zip(SIZES, SIZES[1:])
    ]
    biases = [torch.zeros(seeds, 1, b, dtype=torch.float64) for b in SIZES[1:]]
    parameters = [p.requires_grad_() for p in weights + biases]
    optimizer = torch.optim.Adam(parameters, lr=0.03)
    run = {}
    for step in range(MARKS[-1] + 1):
        h = x
        for weight, bias in zip(weights[:-1], biases):
            h = act(h @ weight + bias)
        logits = (h @ weights[-1] + biases[-1]).squeeze(2)
        if step in MARKS:
            run[step] = h.detach()
        signs = 2 * y - 1
        loss = torch.nn.functional.softplus(-signs * logits).mean(dim=1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return run, (logits * signs > 0).double().mean(dim=1).min().item()


def bits(codes: torch.Tensor) -> float:
    """Entropy in bits of the rows of a finite matrix, each row equally likely.

    If a row is a function of the input, this is their mutual information.
    """
    p = torch.unique(codes, dim=0, return_counts=True)[1].double() / len(codes)
    return (p * (1 / p).log2()).sum().item()


def binned(h: torch.Tensor, low: float, high: float, bins: int) -> torch.Tensor:
    """The bin of each value, 0 to bins - 1; a value at ``high`` is in the last.

    Values outside are in the first or last bin. If all equal ``low`` and ``high``,
    they are in bin 0.
    """
    return ((h - low) / (high - low or 1.0) * bins).floor().clamp(0, bins - 1)


def curves(run: Run, low: float, high: float) -> dict[str, torch.Tensor]:
    """Bits by estimate, each (marks, seeds); fixed bins go from low to high."""
    found: dict[str, list[list[float]]] = {}
    for layer in run.values():
        rows: dict[str, list[float]] = {}
        for h in layer:
            for n in (4, 30, 200):
                fixed = bits(binned(h, low, high, n))
                rows.setdefault(f"{n} fixed bins", []).append(fixed)
            scaled = bits(binned(h, h.min().item(), h.max().item(), 30))
            rows.setdefault("30 scaled bins", []).append(scaled)
            rows.setdefault("exact values", []).append(bits(h))
        for name, row in rows.items():
            found.setdefault(name, []).append(row)
    return {name: torch.tensor(rows) for name, rows in found.items()}


if __name__ == "__main__":
    _, axes = plt.subplots(2, 1, figsize=(4.8, 6), sharex=True)
    print("network   estimate        start   end   (of the seeds)   falls in")
    for axis, (name, act, gain) in zip(
        axes, (("tanh", torch.tanh, 1.0), ("ReLU", torch.relu, 2**0.5))
    ):
        run, accuracy = train(act, gain)
        top = 1.0 if name == "tanh" else max(h.max().item() for h in run.values())
        found = curves(run, -1.0 if name == "tanh" else 0.0, top)
        for estimate, value in found.items():
            start, end = value[0], value[-1]
            falls = (end < start - 0.05).sum()
            spread = f"({end.min():.1f} to {end.max():.1f})"
            means = f"{start.mean():7.1f} {end.mean():5.1f}"
            print(f"{name:9} {estimate:13} {means}   {spread:14} {falls} of 8")
            if estimate != "4 fixed bins":
                shape = "o" if estimate == "exact values" else None
                mean = value.mean(dim=1)
                axis.plot(range(len(MARKS)), mean, marker=shape, label=estimate)
        print(f"{name:9} smallest accuracy of a seed at the end {accuracy:.3f}")
        axis.set_title(f"{name} network")
        axis.set_ylabel("I(X; T) in bits")
        axis.set_ylim(-0.3, 8.5)
    axes[1].set_xlabel("step")
    axes[1].set_xticks(range(len(MARKS)), MARKS)
    axes[0].legend(loc="lower left")
    plt.show()
