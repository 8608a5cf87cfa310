# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.15
# ///
import copy

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
pixels, digits = load_digits(return_X_y=True)
x, y = torch.tensor(pixels / 16, dtype=torch.float32), torch.tensor(digits)
noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
noisy = x / 2 + 0.2 * noise  # less contrast, and noise
low = y < 5
TASKS = {  # source images and labels, target images and labels
    "5 to 9, from 0 to 4": (x[low], y[low], x[~low], y[~low] - 5),
    "0 to 9 noisy, from 0 to 9": (x[:900], y[:900], noisy[900:], y[900:]),
}
RATES = {  # of the head and of the backbone
    "from scratch": [(r, r) for r in (0.001, 0.003, 0.01, 0.03)],
    "head only": [(r, 0.0) for r in (0.003, 0.01, 0.03, 0.1)],
    "fine-tuned": [(0.03, r) for r in (0.0003, 0.001, 0.003, 0.01, 0.03)],
}


def fit(backbone, head, rates, x, y, steps) -> nn.Module:
    groups = [{"params": head.parameters(), "lr": rates[0]}]
    if rates[1]:
        groups += [{"params": backbone.parameters(), "lr": rates[1]}]
    model = nn.Sequential(backbone.requires_grad_(rates[1] > 0), head)
    optimizer = torch.optim.Adam(groups)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


@torch.no_grad()
def accuracy(model, x, y) -> float:
    return 100 * (model(x).argmax(dim=1) == y).float().mean().item()


def compare(task: str, per_class: int, seeds: int) -> dict[str, list]:
    """By way: best rates on 200 validation rows, and their test accuracies."""
    xs, ys, xt, yt = TASKS[task]
    found = {way: {rates: [] for rates in RATES[way]} for way in RATES}
    for seed in range(seeds):
        torch.manual_seed(seed)
        new = nn.Sequential(
            nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()
        )
        head, old = nn.Linear(64, len(yt.unique())), copy.deepcopy(new)
        fit(old, nn.Linear(64, len(ys.unique())), (0.003, 0.003), xs, ys, steps=100)
        val, test, pool = torch.randperm(len(yt)).split([200, 400, len(yt) - 600])
        rows = torch.cat([pool[yt[pool] == c][:per_class] for c in yt.unique()])
        for way, settings in found.items():
            start = new if way == "from scratch" else old
            for rates, scores in settings.items():
                parts = copy.deepcopy(start), copy.deepcopy(head)
                model = fit(*parts, rates, xt[rows], yt[rows], steps=40)
                scores.append([accuracy(model, xt[i], yt[i]) for i in (val, test)])
    best = {}
    for way, settings in found.items():
        rates = max(settings, key=lambda r: sum(val for val, _ in settings[r]))
        best[way] = [rates, [test for _, test in settings[rates]]]
    return best


if __name__ == "__main__":
    for task in TASKS:
        print(f"target: {task}, 4 labels per class")
        for way, (_, scores) in compare(task, per_class=4, seeds=3).items():
            mean, least, most = sum(scores) / len(scores), min(scores), max(scores)
            print(f"  {way:12} {mean:.0f}%, seeds {least:.0f} to {most:.0f}")
