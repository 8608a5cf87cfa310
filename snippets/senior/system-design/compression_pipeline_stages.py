# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

IMAGES, LABELS = load_digits(return_X_y=True)
IMAGES = torch.tensor(IMAGES, dtype=torch.float32) / 16
LABELS = torch.tensor(LABELS)


def network(width: int) -> nn.Sequential:
    """A perceptron with two hidden layers for 64 pixels and 10 classes."""
    shapes = (nn.Linear(64, width), nn.Linear(width, width), nn.Linear(width, 10))
    return nn.Sequential(shapes[0], nn.ReLU(), shapes[1], nn.ReLU(), shapes[2])


def train(model: nn.Sequential, images, labels, steps: int = 200, seed: int = 0):
    """Train in place with AdamW, and return the model."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, fused=True)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 3e-3 * (1 - step / steps)
        rows = torch.randint(len(images), (64,), generator=generator)
        optimizer.zero_grad()
        F.cross_entropy(model(images[rows]), labels[rows]).backward()
        optimizer.step()
    return model


def narrow(model: nn.Sequential, width: int) -> nn.Sequential:
    """Keep the hidden units with the largest weight norm in times norm out."""
    first, second, last = model[0], model[2], model[4]

    def best(before: nn.Linear, after: nn.Linear) -> torch.Tensor:
        norms = before.weight.norm(dim=1) * after.weight.norm(dim=0)
        return norms.topk(width).indices

    a, b, small = best(first, second), best(second, last), network(width)
    with torch.no_grad():
        for layer, weight, bias in (
            (small[0], first.weight[a], first.bias[a]),
            (small[2], second.weight[b][:, a], second.bias[b]),
            (small[4], last.weight[:, b], last.bias),
        ):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
    return small


def rounded(model: nn.Sequential, bits: int = 8, group: int = 0) -> nn.Sequential:
    """A copy whose weights are rounded to bits, with one scale per row.

    With a group, which must divide the inputs, there is one scale per group.
    """
    model = copy.deepcopy(model)
    with torch.no_grad():
        for layer in model[::2]:
            weight = layer.weight.unflatten(1, (-1, group or layer.in_features))
            scale = weight.abs().amax(2, keepdim=True) / (2 ** (bits - 1) - 1)
            scale[scale == 0] = 1  # a row of zeros stays one
            layer.weight.copy_(((weight / scale).round() * scale).flatten(1))
    return model


def on_grid(model: nn.Sequential) -> bool:
    """Whether all weights are multiples of their row's 8-bit scale."""
    pairs = zip(model[::2], rounded(model)[::2], strict=True)
    return all(torch.allclose(a.weight, b.weight, atol=1e-6) for a, b in pairs)


def accuracy(model: nn.Sequential, images, labels) -> float:
    with torch.no_grad():
        return (model(images).argmax(1) == labels).double().mean().item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    order = torch.randperm(len(IMAGES))
    fit, test = order[:1000], order[1000:]
    data = IMAGES[fit], LABELS[fit]
    teacher = train(network(256), *data)
    cut = narrow(teacher, 64)
    tuned = train(copy.deepcopy(cut), *data)
    early = train(narrow(rounded(teacher), 64), *data)
    stages = {"float32, width 256": teacher, "width 64": cut}
    stages |= {"width 64, fine-tuned": tuned, "... then int8": rounded(tuned)}
    stages |= {
        "int8, width 64, fine-tuned": early,
        "... then int8 again": rounded(early),
        "width 192, 4 bits": rounded(narrow(teacher, 192), 4, group=32),
    }
    for name, model in stages.items():
        share = accuracy(model, IMAGES[test], LABELS[test])
        print(f"{name:28}accuracy {share:.2f}   int8 weights: {on_grid(model)}")
