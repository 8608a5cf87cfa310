# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.04
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
images, labels = load_digits(return_X_y=True)
images, labels = (
    torch.tensor(images, dtype=torch.float32) / 16,
    torch.tensor(labels),
)
torch.manual_seed(0)
order = torch.randperm(len(images))
fit, test = order[:1000], order[1000:]
layers = nn.ModuleList([nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 10)])
optimizer = torch.optim.AdamW(layers.parameters(), lr=3e-3)


def run(x: torch.Tensor, limits: list[float] | None = None):
    """Logits, the largest input of each layer, and the share of inputs at a limit.

    With ``limits``, the inputs of each layer are rounded to 8 bits below its limit.
    """
    largest, clipped, total = [], 0, 0
    for number, layer in enumerate(layers):
        x = x if number == 0 else x.relu()
        largest.append(x.max().item())
        if limits:
            step = limits[number] / 255
            clipped, total = (
                clipped + (x > limits[number]).sum().item(),
                total + x.numel(),
            )
            x = (x / step).round().clamp(0, 255) * step
        x = layer(x)
    return x, largest, clipped / max(total, 1)


for _ in range(300):
    rows = fit[torch.randint(len(fit), (64,))]
    optimizer.zero_grad()
    F.cross_entropy(run(images[rows])[0], labels[rows]).backward()
    optimizer.step()

clean = images[fit[:100]]
mixed = torch.cat([clean, 255 * clean[:1]])  # one image in 0..255, not 0..1
plans = {"float32": None, "100 ordinary images": clean, "one image": clean[:1]}
plans |= {"dark images": 0.2 * clean, "one not scaled": mixed}
with torch.no_grad():
    for name, calibration in plans.items():
        limits = None if calibration is None else run(calibration)[1]
        logits, _, clipped = run(images[test], limits)
        share = (logits.argmax(1) == labels[test]).double().mean()
        print(f"{name:22}accuracy {share:.2f}   inputs at the limit {clipped:.3f}")
