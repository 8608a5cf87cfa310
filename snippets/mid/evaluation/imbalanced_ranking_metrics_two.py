# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import Tensor

POSITIVES, NEGATIVES = 200, 199_800


def quantiles(n: int, mean: float) -> Tensor:
    """A sample of n from a normal distribution with deviation 1, without luck."""
    return mean + torch.special.ndtri(
        (torch.arange(n, dtype=torch.double) + 0.5) / n
    )


def curves(positives: Tensor, negatives: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Recall, false positive rate and precision of each head of the sorted list."""
    hit = torch.arange(len(positives) + len(negatives)) < len(positives)
    hit = hit[
        torch.cat([positives, negatives]).argsort(descending=True, stable=True)
    ]
    found, wrong = hit.cumsum(0).double(), (~hit).cumsum(0).double()
    return found / len(positives), wrong / len(negatives), found / (found + wrong)


MODELS = {
    "A": quantiles(POSITIVES, 2.0),  # every positive a little higher
    "B": torch.cat(
        [quantiles(120, 4.0), quantiles(80, 0.0)]
    ),  # 60 % much, 40 % not
}

if __name__ == "__main__":
    figure, (roc, pr) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    for name, positives in MODELS.items():
        recall, false, precision = curves(positives, quantiles(NEGATIVES, 0.0))
        auc = torch.trapezoid(recall, false)
        ap = (recall.diff(prepend=torch.zeros(1)) * precision).sum()
        first = round((precision[99] * 100).item())
        print(f"{name}: AUC {auc:.2f}, AP {ap:.2f}, {first} hits in the first 100")
        roc.plot(false[::50], recall[::50], label=f"{name}, area {auc:.2f}")
        pr.plot(recall[20::20], precision[20::20], label=name)
    roc.set(xlabel="false positive rate", ylabel="recall", title="ROC")
    pr.set(xlabel="recall", ylabel="precision", title="1 positive in 1,000")
    roc.legend()
    pr.legend()
    plt.show()
