# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.25
# ///
import torch
from sklearn.datasets import load_digits
from torch.nn import functional as F

torch.set_num_threads(1)
pixels, digits = load_digits(return_X_y=True)
x, y = torch.tensor(pixels / 16, dtype=torch.float32), torch.tensor(digits)
order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
train, test = order[:300], order[800:]


def overconfidence(wrong: float, smoothing: float, seeds: int = 4) -> torch.Tensor:
    """Mean confidence minus accuracy on clean test labels, in points.

    Trains ``seeds`` networks with one hidden layer side by side.

    Args:
        wrong: share of training labels that are replaced by a random class.
        smoothing: passed as ``label_smoothing``.

    Returns:
        float32, shape (seeds,).
    """
    torch.manual_seed(0)
    w, v = torch.randn(seeds, 64, 64) / 8, torch.randn(seeds, 64, 10) / 8
    replaced = torch.rand(seeds, len(train)) < wrong
    labels = torch.where(replaced, torch.randint(0, 10, replaced.shape), y[train])
    optimizer = torch.optim.Adam([w.requires_grad_(), v.requires_grad_()], lr=0.01)
    for _ in range(200):
        logits = (x[train] @ w).relu() @ v
        loss = F.cross_entropy(logits.mT, labels, label_smoothing=smoothing)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        p = ((x[test] @ w).relu() @ v).softmax(dim=2)
        confidence, guess = p.max(dim=2)
        return 100 * (confidence.mean(1) - (guess == y[test]).float().mean(1))


if __name__ == "__main__":
    print("confidence - accuracy, mean of 4 seeds (least, most)")
    for wrong in (0.0, 0.2):
        for eps in (0.0, 0.1):
            d = overconfidence(wrong, eps)
            found = f"{d.mean():+5.1f} points ({d.min():+.1f}, {d.max():+.1f})"
            print(f"wrong labels {wrong:3.0%}  label_smoothing {eps}  {found}")
