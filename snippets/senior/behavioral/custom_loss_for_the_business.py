# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import Tensor
from torch.nn import functional as F

MISS, ALARM = 10.0, 1.0  # the price of a missed positive and of a false alarm


def business_loss(logits: Tensor, labels: Tensor, miss: float | Tensor) -> Tensor:
    """Cross-entropy in which a positive counts ``miss`` times and a negative once.

    Args:
        logits: (N,).
        labels: (N,), 0 or 1 as floats.
        miss: the price of missing a positive, or (N,), one price per case.
    """
    losses = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (torch.where(labels == 1, miss, ALARM) * losses).mean()


def draw(seed: int, rows: int, bias: float = -4.6) -> tuple[Tensor, Tensor]:
    """Features (rows, 5) and labels (rows,), of which about one in twenty is 1."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 5, generator=generator, dtype=torch.float64)
    logits = x @ x.new_tensor([1.5, -1.5, 0.75, 0.0, 0.0]) + bias
    return x, torch.bernoulli(logits.sigmoid(), generator=generator)


def fit(x: Tensor, labels: Tensor, miss: float | Tensor = 1.0) -> Tensor:
    """Train a linear model with ``business_loss``, return bias and weights."""
    model = x.new_zeros(x.shape[1] + 1, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [model], max_iter=30, line_search_fn="strong_wolfe"
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = business_loss(x @ model[1:] + model[0], labels, miss)
        loss.backward()
        return loss

    optimizer.step(closure)
    return model.detach()


def cost(flagged: Tensor, labels: Tensor, miss: float | Tensor = MISS) -> float:
    """What the mistakes cost per 1,000 cases."""
    price = torch.where(labels == 1, miss, ALARM).double()
    return 1000 * (price * (flagged != (labels == 1))).mean().item()


def balanced(labels: Tensor, seed: int) -> Tensor:
    """Row numbers as WeightedRandomSampler draws them for equal classes."""
    generator = torch.Generator().manual_seed(seed)
    share = labels.mean()
    weights = torch.where(labels == 1, 1 / share, 1 / (1 - share))
    return torch.multinomial(weights, len(labels), True, generator=generator)


if __name__ == "__main__":
    x, labels = draw(0, 10_000)
    test, truth = draw(100, 20_000)
    rows, inverse = balanced(labels, 0), ((1 - labels).sum() / labels.sum()).item()
    models = {
        "cross-entropy": fit(x, labels),
        "business loss": fit(x, labels, MISS),
        "sampler + class weights": fit(x[rows], labels[rows], inverse),
    }
    found = {name: (test @ m[1:] + m[0]).sigmoid() for name, m in models.items()}
    print("training, threshold            cost   recall   precision   mean score")
    print(f"flag nobody             {cost(truth > 1, truth):11.0f}")
    for name, threshold in (
        ("cross-entropy", "1/2"),
        ("cross-entropy", "1/11"),
        ("business loss", "1/2"),
        ("business loss", "1/11"),
        ("sampler + class weights", "1/2"),
    ):
        p = found[name]
        flagged = p > 1 / int(threshold[2:])
        hits = (flagged & (truth == 1)).sum().item()
        print(
            f"{name:24}{threshold:5}{cost(flagged, truth):6.0f}"
            f"{hits / truth.sum().item():9.2f}{hits / flagged.sum().item():12.2f}"
            f"{p.mean().item():13.3f}"
        )
    print(f"share of positives {truth.mean().item():50.3f}")

    thresholds = torch.arange(0.01, 0.99, 0.01).tolist()
    for name, p in list(found.items())[:2]:
        plt.plot(thresholds, [cost(p > t, truth) for t in thresholds], label=name)
    plt.axvline(1 / 11, color="gray", linewidth=0.8, linestyle=":")
    plt.axvline(1 / 2, color="gray", linewidth=0.8, linestyle=":")
    plt.xlabel("threshold")
    plt.ylabel("cost per 1,000 cases")
    plt.ylim(0, 700)
    plt.legend()
    plt.show()
