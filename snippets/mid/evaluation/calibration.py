import torch
from torch import Tensor


def ece(probs: Tensor, y: Tensor, bins: int = 15) -> float:
    """Expected calibration error of probs (n, classes) for the labels y (n,).

    Per bin of equal width: |share right - mean confidence|, weighted by its rows.
    """
    confidence, guess = probs.max(dim=1)
    gap = (guess == y).double() - confidence
    place = (confidence * bins).ceil().long()  # bin i is (i - 1, i] / bins
    sums = torch.zeros(bins + 1).double().index_add(0, place, gap)
    return sums.abs().sum().item() / len(y)


if __name__ == "__main__":
    torch.manual_seed(0)
    for n in (100, 1_000, 10_000, 100_000):
        total = 0.0
        for _ in range(10):
            probs = (2 * torch.randn(n, 10).double()).softmax(dim=1)
            total += ece(probs, probs.multinomial(1)[:, 0])  # as often as it says
        print(f"{n:6} rows, perfectly calibrated: mean ECE {total / 10:.3f}")
