# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
from torch import Tensor


class Confusion:
    """Counts over all batches of a pass, and the ratios that follow from them.

    A ratio of counts is not the mean of the batches' ratios. What divides by zero
    is NaN: the precision of a class that was never predicted, for example.

    Args:
        classes: how many, at least 2; with 2, class 1 is the positive one.
        ignore: a label whose samples do not count, such as -100.

    Attributes:
        counts: int64 (classes, classes) on the CPU: rows are labels, columns what
            was predicted. Add those of several processes.
    """

    def __init__(self, classes: int, ignore: int | None = None) -> None:
        zeros = torch.zeros(classes, classes, dtype=torch.int64, device="cpu")
        self.counts = zeros
        self.ignore = ignore

    def update(self, predicted: Tensor, labels: Tensor) -> None:
        """Count a batch.

        Args:
            predicted: classes, bool or integer, any shape, ``logits.argmax(1)`` or
                ``p > 0.5``.
            labels: bool or integer, the same shape, on any device.

        Raises:
            ValueError: another shape, or a class that there is not.
            TypeError: neither bool nor integer, such as probabilities.
        """
        if predicted.shape != labels.shape:
            shapes = f"{tuple(predicted.shape)} and {tuple(labels.shape)}"
            raise ValueError(f"predicted and labels have shapes {shapes}")
        if any(
            t.is_floating_point() or t.is_complex() for t in (predicted, labels)
        ):
            raise TypeError(f"classes, not {predicted.dtype} and {labels.dtype}")
        guess, truth = (
            t.detach().cpu().flatten().long() for t in (predicted, labels)
        )
        if self.ignore is not None:
            guess, truth = guess[truth != self.ignore], truth[truth != self.ignore]
        classes = len(self.counts)
        both = torch.cat([guess, truth])
        if ((both < 0) | (both >= classes)).any():
            raise ValueError(f"a class is not in 0 to {classes - 1}")
        cells = (classes * truth + guess).bincount(minlength=classes**2)
        self.counts += cells.view(classes, classes)

    def accuracy(self) -> float:
        return (self.counts.trace().double() / self.counts.sum()).item()

    def recall(self) -> Tensor:
        """For each class, float32 (classes,)."""
        return self.counts.diag() / self.counts.sum(dim=1)

    def precision(self) -> Tensor:
        """For each class, float32 (classes,)."""
        return self.counts.diag() / self.counts.sum(dim=0)

    def f1(self) -> Tensor:
        """For each class, float32 (classes,). Macro F1 is its mean."""
        return (
            2
            * self.counts.diag()
            / (self.counts.sum(dim=0) + self.counts.sum(dim=1))
        )


if __name__ == "__main__":
    import torch.nn.functional as F
    from sklearn.datasets import load_digits
    from torch import nn

    def report(name: str, *numbers: float) -> None:
        texts = (f"{n:.3f}" if n == n else "  -  " for n in numbers)
        print(f"{name:25}" + "{:>8}{:>11}{:>9}".format(*texts))

    def numbers(predicted: Tensor, labels: Tensor) -> tuple[float, ...]:
        found = Confusion(2)
        for p, y in zip(predicted.split(64), labels.split(64)):
            found.update(p, y)
        precision, recall = found.precision()[1].item(), found.recall()[1].item()
        return found.accuracy(), precision, recall

    torch.manual_seed(0)
    pixels, digits = load_digits(return_X_y=True)
    x = torch.tensor(pixels, dtype=torch.float32) / 16
    y = torch.tensor(digits) == 8  # is it an 8?
    train, test = torch.randperm(len(x)).split([1200, 597])

    print(f"{'is it an 8?':24} accuracy  precision   recall")
    report("always no", *numbers(torch.zeros_like(y[test]), y[test]))
    model = nn.Linear(64, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3001):
        loss = F.binary_cross_entropy_with_logits(
            model(x[train]).squeeze(1), y[train].float()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (10, 300, 3000):
            p = model(x[test]).squeeze(1).detach().sigmoid()
            name = f"step {step:4}, loss {loss.item():.3f}"
            report(name, *numbers(p > 0.5, y[test]))
    report("the same, p > 0.2", *numbers(p > 0.2, y[test]))
    batches = zip((p > 0.5).split(64), y[test].split(64))
    means = torch.tensor([numbers(*batch) for batch in batches]).nanmean(dim=0)
    report("step 3000, batch means", *means.tolist())
