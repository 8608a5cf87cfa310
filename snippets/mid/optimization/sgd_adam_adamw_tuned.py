# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn", "matplotlib>=3.8"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits

IMAGES, LABELS = load_digits(return_X_y=True)
IMAGES = torch.tensor(IMAGES, dtype=torch.float32) / 16
LABELS = torch.tensor(LABELS)
TRAINED = 60  # few images, and 70 % of their labels are random


def held_out_losses(
    kind: str, rates: list[float], decays: list[float], seeds: int, steps: int
) -> torch.Tensor:
    """Held-out cross-entropy of linear classifiers, trained side by side.

    The learning rate falls linearly to zero.

    Args:
        kind: "SGD" (with momentum 0.9), "Adam" or "AdamW".

    Returns:
        float32, shape (len(rates), len(decays), seeds).
    """
    shape = len(rates), len(decays), seeds
    lr = torch.tensor(rates).view(-1, 1, 1).expand(shape).reshape(-1, 1, 1)
    decay = torch.tensor(decays).view(1, -1, 1).expand(shape).reshape(-1, 1, 1)
    generators = [torch.Generator().manual_seed(seed) for seed in range(seeds)]
    random = torch.Generator().manual_seed(0)
    noise = torch.randint(10, (TRAINED,), generator=random)
    flip = torch.rand(TRAINED, generator=random) < 0.7
    labels = torch.where(flip, noise, LABELS[:TRAINED])
    w = torch.stack([torch.randn(64, 10, generator=g) / 14 for g in generators])
    w = w.repeat(len(rates) * len(decays), 1, 1).requires_grad_()
    m, v = torch.zeros_like(w), torch.zeros_like(w)
    for t in range(1, steps + 1):
        drawn = [torch.randint(TRAINED, (16,), generator=g) for g in generators]
        batch = torch.stack(drawn).repeat(len(rates) * len(decays), 1)
        output, target = (IMAGES[batch] @ w).flatten(0, 1), labels[batch].flatten()
        loss = F.cross_entropy(output, target, reduction="sum") / 16
        (g,) = torch.autograd.grad(loss, w)
        eta = lr * (1 - (t - 1) / steps)
        with torch.no_grad():
            if kind == "AdamW":
                w *= 1 - eta * decay
            else:
                g = g + decay * w
            if kind == "SGD":
                m = 0.9 * m + g
                w -= eta * m
            else:
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
                root = (v / (1 - 0.999**t)).sqrt() + 1e-8
                w -= eta * m / (1 - 0.9**t) / root
    with torch.no_grad():
        outputs = IMAGES[TRAINED:] @ w
        losses = [F.cross_entropy(output, LABELS[TRAINED:]) for output in outputs]
    return torch.stack(losses).view(shape)


GRIDS = {
    "SGD": ([0.01, 0.03, 0.1, 0.3], [0.003, 0.01, 0.03, 0.1]),
    "Adam": ([0.003, 0.01, 0.03, 0.1], [0.003, 0.01, 0.03, 0.1]),
    "AdamW": ([0.003, 0.01, 0.03, 0.1], [0.1, 0.3, 1.0, 3.0]),
}

if __name__ == "__main__":
    best = []
    for (kind, (rates, decays)), style in zip(GRIDS.items(), ("o-", "s--", "^-.")):
        found = held_out_losses(kind, rates, decays, seeds=5, steps=300)
        medians = found.median(dim=2).values
        print(f"{kind}, decay", *[f"{decay:>7g}" for decay in decays])
        for rate, row in zip(rates, medians):
            print(f"  lr {rate:<7g}", *[f"{loss:7.2f}" for loss in row])
        i, j = divmod(int(medians.argmin()), len(decays))
        low, high = found[i, j].min(), found[i, j].max()
        setting = f"lr {rates[i]:<5g} decay {decays[j]:<5g}"
        best.append(f"{kind:6} {setting} {low:.2f} to {high:.2f}")
        plt.plot(rates, medians[:, j], style, label=f"{kind}, decay {decays[j]:g}")
        plt.plot(rates, medians[:, 0], style, color="gray", linewidth=0.7)
    print("best of each, range of 5 seeds", *best, sep="\n")
    plt.xscale("log")
    plt.xlabel("learning rate (gray: the smallest decay)")
    plt.ylabel("held-out loss")
    plt.legend()
    plt.show()
