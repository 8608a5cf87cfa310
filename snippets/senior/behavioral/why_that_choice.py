# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.15
# ///
from statistics import mean

import torch
from sklearn.datasets import load_digits

SCRIPT = """
import torch
from torch import nn

torch.manual_seed(seed)
decay, rate, steps = 0.0, 0.9, 60
x = x / 16  # choice: scaled inputs
decay = 1e-4  # choice: weight decay
layers = [nn.Linear(64, 64), nn.ReLU()]
for _ in range(2):
    layers += [nn.Linear(64, 64), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(64, 10))
for name, weight in model.named_parameters():
    if name.endswith("weight"):
        nn.init.kaiming_normal_(weight)
optimizer = torch.optim.SGD(model.parameters(), rate, 0.9, weight_decay=decay)
for step in range(steps):
    now = rate
    now *= min(1, (step + 1) / 50)  # choice: warmup
    now *= 1 - step / steps  # choice: falling rate
    optimizer.param_groups[0]["lr"] = now
    rows = torch.randint(1200, (64,))
    logits = model(x[rows])
    loss = nn.functional.cross_entropy(logits, y[rows], label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # choice: clipping
    optimizer.step()
right = model(x[1200:]).argmax(1) == y[1200:]
"""


def choices(script: str) -> list[str]:
    """The names behind `# choice:`."""
    lines = script.splitlines()
    return [
        line.partition("# choice: ")[2] for line in lines if "# choice: " in line
    ]


def run(script: str, without: tuple[str, ...], **given: object) -> dict:
    """Run the script without the lines of these choices; its variables."""
    if unknown := set(without) - set(choices(script)):
        raise ValueError(f"no line has the choice {unknown}")
    lines = script.splitlines()
    kept = [
        line for line in lines if line.partition("# choice: ")[2] not in without
    ]
    exec("\n".join(kept), variables := dict(given))
    return variables


def digits() -> tuple[torch.Tensor, torch.Tensor]:
    """1,797 scans in a fixed random order: pixels from 0 to 16, and labels."""
    pixels, labels = load_digits(return_X_y=True)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    return torch.tensor(pixels).float()[order], torch.tensor(labels)[order]


DIGITS = digits()


def accuracy(*without: str, seeds: int = 3) -> float:
    """Mean held-out accuracy in percent."""
    x, y = DIGITS
    runs = [run(SCRIPT, without, x=x, y=y, seed=seed) for seed in range(seeds)]
    return 100 * mean(run["right"].float().mean().item() for run in runs)


if __name__ == "__main__":
    print("left out            alone    and clipping")
    rows = {"nothing": [accuracy(), accuracy("clipping")]}
    for name in choices(SCRIPT)[:-1]:
        rows[name] = [accuracy(name), accuracy(name, "clipping")]
    for name, row in rows.items():
        cells = (f"{cell:.0f} %" if cell > 60 else "breaks" for cell in row)
        print(f"{name:14}", *(f"{cell:>10}" for cell in cells), sep="")
