# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import math

import torch
from torch import Tensor

WIDTH, TRAINED, BASE = 32, 64, 200.0  # the slowest pair turns by 0.45 in training
pair = torch.arange(0, WIDTH, 2, dtype=torch.float64)


def frequencies(method: str, scale: float) -> Tensor:
    """Radians per token of each pair, for texts ``scale`` times as long."""
    plain = BASE ** (-pair / WIDTH)
    if method == "PI":
        return plain / scale
    if method == "NTK-aware":
        return (BASE * scale ** (WIDTH / (WIDTH - 2))) ** (-pair / WIDTH)
    keep = ((TRAINED * plain / (2 * math.pi) - 1) / 7).clamp(0, 1)
    if method == "unchanged":
        keep = torch.ones_like(plain)
    return keep * plain + (1 - keep) * plain / scale


def rotate(x: Tensor, position: Tensor, frequency: Tensor) -> Tensor:
    angle = position[..., None] * frequency
    a, b = x.chunk(2, dim=-1)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


def log_weights(weight: Tensor, texts: Tensor, asked: Tensor, frequency: Tensor):
    """Log attention (B, T) of a query behind each text (B, T, 16) to its tokens."""
    length = texts.shape[1]
    k = rotate(texts @ weight[0], torch.arange(length), frequency)
    q = rotate(asked @ weight[1], torch.tensor(length), frequency)
    return ((k @ q[..., None]).squeeze(-1) / WIDTH**0.5).log_softmax(-1)


def batch(count: int, length: int, nearest: int = 1):
    """Random texts, the places to find, and what is asked: a copy of the token."""
    texts = torch.randn(count, length, 16, dtype=torch.float64)
    texts = texts / texts.norm(dim=-1, keepdim=True)
    place = length - torch.randint(nearest, length + 1, (count,))
    return texts, place, texts[torch.arange(count), place]


def train(steps: int = 200) -> Tensor:
    """One head learns to find the asked token in texts of 64, by Adam."""
    weight = torch.randn(2, 16, WIDTH, dtype=torch.float64) / 4
    mean, square = torch.zeros_like(weight), torch.zeros_like(weight)
    for _ in range(steps):
        weight.requires_grad_()
        texts, place, asked = batch(32, TRAINED)
        scores = log_weights(weight, texts, asked, frequencies("unchanged", 1))
        loss = -scores.gather(1, place[:, None]).mean()
        (g,) = torch.autograd.grad(loss, weight)
        mean, square = mean.lerp(g, 0.1), square.lerp(g * g, 0.05)
        weight = weight.detach() - 0.05 * mean / (square.sqrt() + 1e-8)
    return weight


def accuracy(weight: Tensor, method: str, length: int) -> float:
    """How often the token has the largest weight, in the far half of a text."""
    torch.manual_seed(length)  # the same texts for every method
    texts, place, asked = batch(200, length, nearest=length // 2)
    frequency = frequencies(method, length / TRAINED)
    found = log_weights(weight, texts, asked, frequency).argmax(-1)
    return (found == place).double().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    weight = train()
    print("found in texts of       64   128   256   512")
    for method in ("unchanged", "PI", "NTK-aware", "YaRN"):
        row = (f"{accuracy(weight, method, n):5.0%}" for n in (64, 128, 256, 512))
        print(f"{method:20}", *row)
