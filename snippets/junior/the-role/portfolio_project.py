# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


def interval(
    values: torch.Tensor, resamples: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean of ``values``, and the 95 percent interval of that mean by the bootstrap.

    Args:
        values: one number per test sample, floating point, shape (N,).
    """
    generator = torch.Generator().manual_seed(seed)
    n = len(values)
    picks = torch.randint(n, (resamples, n), generator=generator)
    ends = torch.tensor([0.025, 0.975], dtype=values.dtype)
    low, high = values[picks].mean(dim=1).quantile(ends)
    return values.mean().item(), low.item(), high.item()


def train(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int = 80
) -> nn.Module:
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


if __name__ == "__main__":
    images, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    torch.manual_seed(0)
    test = torch.randperm(len(y)) < 450
    candidates = {
        "baseline": lambda: nn.Linear(64, 10),
        "network": lambda: nn.Sequential(
            nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
        ),
        "better": lambda: nn.Sequential(
            nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 10)
        ),
    }
    correct = {}
    print(f"{int(test.sum())} test images    accuracy  95% interval")
    for name, build in candidates.items():
        torch.manual_seed(0)
        model = train(build(), x[~test], y[~test])
        correct[name] = (model(x[test]).argmax(dim=1) == y[test]).double()
        mean, low, high = interval(correct[name])
        print(f"{name:18} {100 * mean:7.1f}  [{100 * low:.1f}, {100 * high:.1f}]")
    for new, old in (("network", "baseline"), ("better", "network")):
        mean, low, high = interval(correct[new] - correct[old])
        verdict = "better" if low > 0 else "within the noise"
        print(
            f"{new} - {old:9} {100 * mean:+7.1f}  [{100 * low:+.1f}, {100 * high:+.1f}]  {verdict}"
        )
