# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

RATES = [0.003 * 2**i for i in range(10)]
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)


def steps_needed(kind: str, batch: int, seeds: int = 9, limit: int = 300):
    """Steps until a noisy linear regression comes near its solution.

    Args:
        kind: "SGD" or "Adam".
        batch: samples per step, all of them new.

    Returns:
        float32, shape (len(RATES), seeds); inf where ``limit`` steps were too few.
    """
    lr = torch.tensor(RATES).repeat_interleave(seeds).unsqueeze(1)
    generator = torch.Generator().manual_seed(batch)
    w = torch.ones(len(RATES) * seeds, 20)  # the solution is zero
    m, v = torch.zeros_like(w), torch.zeros_like(w)
    needed = torch.full((len(w),), torch.inf)
    for t in range(1, limit + 1):
        x = torch.randn(seeds, batch, 20, generator=generator)
        noise = torch.randn(seeds, batch, 1, generator=generator)
        x, noise = (z.repeat(len(RATES), 1, 1) for z in (x, noise))
        residual = x @ w.unsqueeze(2) - noise
        g = (x * residual).mean(dim=1)
        if kind == "SGD":
            w = w - lr * g
        else:
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            w = w - lr * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
        needed[(w.square().sum(dim=1) < 1) & needed.isinf()] = t
    return needed.view(len(RATES), seeds)


if __name__ == "__main__":
    print("batch   best rate: SGD   Adam   steps: SGD (9 seeds)   Adam (9 seeds)")
    best = {"SGD": [], "Adam": []}
    for batch in BATCHES:
        cells = []
        for kind, rates in best.items():
            needed = steps_needed(kind, batch)
            at = int(needed.median(dim=1).values.argmin())
            assert 0 < at < len(RATES) - 1
            rates.append(RATES[at])
            cells.append(f"{needed[at].min():.0f} to {needed[at].max():.0f}")
        sgd, adam = best["SGD"][-1], best["Adam"][-1]
        print(f"{batch:5} {sgd:16.3f} {adam:6.3f} {cells[0]:>22} {cells[1]:>16}")
    for (kind, rates), style in zip(best.items(), ("o-", "s--")):
        plt.plot(BATCHES, rates, style, label=kind)
    plt.plot(
        BATCHES[:6], [0.02 * b for b in BATCHES[:6]], ":", label="rate = 0.02 B"
    )
    plt.xscale("log", base=2)
    plt.yscale("log")
    plt.xlabel("batch size B")
    plt.ylabel("best learning rate of the grid")
    plt.legend()
    plt.show()
