# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


def fit(x: torch.Tensor, target: torch.Tensor, decay: float) -> torch.Tensor:
    """Train R softmax regressions at once, on the same inputs.

    Args:
        x: (N, D), float64.
        target: (N, R, 10), weight of each class in the loss; zeros leave a row out.
        decay: strength of the L2 penalty.

    Returns:
        Weights, (D, R, 10).
    """
    weights = torch.zeros(x.shape[1], *target.shape[1:], dtype=x.dtype)
    weights.requires_grad_()
    optimizer = torch.optim.Adam([weights], lr=0.3)
    for _ in range(40):
        logits = (x @ weights.flatten(1)).view_as(target)
        loss = -(target * logits.log_softmax(dim=2)).sum()
        optimizer.zero_grad()
        (loss + decay * weights.square().sum()).backward()
        optimizer.step()
    return weights.detach()


def pseudo_labels(
    x: torch.Tensor, target: torch.Tensor, decay: float, threshold: float
) -> torch.Tensor:
    """Like ``fit``, then twice more with confident guesses for other rows."""
    weights = fit(x, target, decay)
    for _ in range(2):
        probability = (x @ weights.flatten(1)).view_as(target).softmax(dim=2)
        confidence, guess = probability.max(dim=2, keepdim=True)
        guessed = torch.zeros_like(target).scatter(2, guess, 1.0)
        guessed *= confidence >= threshold
        labeled = target.sum(dim=2, keepdim=True) > 0
        both = torch.where(labeled, (target > 0).double(), guessed)
        weights = fit(x, both / both.sum(dim=(0, 2), keepdim=True), decay)
    return weights


def draw(y: torch.Tensor, per_class: int, seed: int) -> torch.Tensor:
    """A target for ``fit``, (N, 10), of ``per_class`` random samples per class."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(y), generator=generator)
    rows = torch.cat([order[y[order] == c][:per_class] for c in range(10)])
    target = torch.zeros(len(y), 10, dtype=torch.float64)
    target[rows, y[rows]] = 1 / len(rows)
    return target


def denoising_features(x: torch.Tensor, pool: torch.Tensor) -> torch.Tensor:
    """Hidden layer of a network that has learned to fill in pixels of the pool."""
    encode = nn.Sequential(nn.Linear(65, 128), nn.ReLU()).double()
    decode = nn.Linear(128, 65).double()
    parameters = [*encode.parameters(), *decode.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    for _ in range(150):
        clean = x[pool[torch.randint(len(pool), (128,))]]
        seen = clean * (torch.rand_like(clean) > 0.5)
        loss = F.mse_loss(decode(encode(seen)), clean)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encode(x).detach()


if __name__ == "__main__":
    torch.manual_seed(0)
    pixels, digits = load_digits(return_X_y=True)
    x, y = F.pad(torch.tensor(pixels) / 16, (0, 1), value=1.0), torch.tensor(digits)
    pool, val, test, _ = torch.randperm(len(x)).split([700, 200, 700, 197])
    features = denoising_features(x, pool)
    three, ten = (
        torch.stack([draw(y[pool], n, seed) for seed in range(5)], dim=1)
        for n in (3, 10)
    )
    decays, thresholds = (1e-4, 1e-3, 1e-2, 1e-1), (0.0, 0.5, 0.7, 0.9)
    methods = {
        "30 labels": {d: (x, fit(x[pool], three, d)) for d in decays},
        "pretext": {d: (features, fit(features[pool], three, d)) for d in decays},
        "pseudo-labels": {
            (d, t): (x, pseudo_labels(x[pool], three, d, t))
            for d in decays[:3]
            for t in thresholds
        },
        "100 labels": {d: (x, fit(x[pool], ten, d)) for d in decays},
    }
    chosen = {}
    for name, grid in methods.items():
        scores = {}
        for setting, (inputs, weights) in grid.items():
            logits = torch.einsum("nd,drk->rnk", inputs, weights)
            right = (logits.argmax(dim=2) == y).double()
            scores[setting] = [100 * right[:, i].mean(dim=1) for i in (val, test)]
        mean = {setting: found[0].mean() for setting, found in scores.items()}
        best, worst = max(mean, key=mean.get), min(mean, key=mean.get)
        chosen[name] = found = scores[best][1]
        gain = found - chosen["30 labels"]
        print(
            f"{name:13} {found.mean():.0f}%  per draw {gain.min():+.0f} to"
            f" {gain.max():+.0f}  best {best}, worst {scores[worst][1].mean():.0f}%"
        )
