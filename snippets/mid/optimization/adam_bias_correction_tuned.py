# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.15
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits

IMAGES, LABELS = load_digits(return_X_y=True)
IMAGES = torch.tensor(IMAGES, dtype=torch.float32) / 16
LABELS = torch.tensor(LABELS)


def held_out_losses(
    rates: list[float], seeds: int, corrected: bool, beta2: float, steps: int
) -> torch.Tensor:
    """Held-out cross-entropy of small networks, all trained at once by Adam.

    Returns:
        float32, shape (len(rates), seeds).
    """
    generators = [torch.Generator().manual_seed(seed) for seed in range(seeds)]
    lr = torch.tensor(rates).repeat_interleave(seeds).view(-1, 1, 1)

    def layer(fan_in: int, fan_out: int) -> torch.Tensor:
        drawn = [torch.rand(fan_in, fan_out, generator=g) for g in generators]
        w = (2 * torch.stack(drawn) - 1) / fan_in**0.5
        return w.repeat(len(rates), 1, 1).requires_grad_()

    weights = [layer(64, 32), layer(32, 32), layer(32, 10)]
    means = [torch.zeros_like(w) for w in weights]
    squares = [torch.zeros_like(w) for w in weights]

    def logits(x: torch.Tensor) -> torch.Tensor:
        return (((x @ weights[0]).relu() @ weights[1]).relu()) @ weights[2]

    for t in range(1, steps + 1):
        drawn = [torch.randint(1300, (32,), generator=g) for g in generators]
        batch = torch.stack(drawn).repeat(len(rates), 1)
        output, target = (
            logits(IMAGES[batch]).flatten(0, 1),
            LABELS[batch].flatten(),
        )
        loss = F.cross_entropy(output, target, reduction="sum") / 32
        gradients = torch.autograd.grad(loss, weights)
        c1, c2 = (1 - 0.9**t, 1 - beta2**t) if corrected else (1.0, 1.0)
        with torch.no_grad():
            for w, g, m, v in zip(weights, gradients, means, squares):
                m.lerp_(g, 0.1)
                v.lerp_(g**2, 1 - beta2)
                w -= lr * (m / c1) / ((v / c2).sqrt() + 1e-8)
    with torch.no_grad():
        outputs = logits(IMAGES[1300:])
        losses = [F.cross_entropy(output, LABELS[1300:]) for output in outputs]
    return torch.stack(losses).view(len(rates), seeds)


if __name__ == "__main__":
    rates = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]
    print("held-out loss after 60 steps: median of 5 seeds")
    print(f"{'lr':22}", *[f"{rate:>6g}" for rate in rates])
    best = []
    for beta2 in (0.999, 0.9999):
        for corrected in (True, False):
            found = held_out_losses(rates, 5, corrected, beta2, steps=60)
            name = f"beta2 {beta2:<6} {'corrected' if corrected else 'not'}"
            medians = found.median(dim=1).values
            print(f"{name:22}", *[f"{loss:6.2f}" for loss in medians])
            row = found[medians.argmin()]
            best.append(f"{name:22} {row.min():.2f} to {row.max():.2f}")
    print("range of the seeds at the best rate", *best, sep="\n")
