# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]
# ///
from functools import partial

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits


def rounded(w, bits, clip=1.0):
    """w (..., in, out) on 2**bits - 1 levels, with one scale per output."""
    top = 2 ** (bits - 1) - 1
    scale = clip * w.abs().amax(-2, keepdim=True) / top
    return (w / scale).round().clamp(-top, top) * scale


def fake_quantize(w, bits):
    """Forward: the rounded weights. Backward: as if nothing had been rounded."""
    return w + (rounded(w, bits, clip=0.7) - w).detach()


def best_clip(w, bits):
    """Rounded with the clip, per output, that has the smallest squared error."""
    best, least = w, torch.full_like(w[..., :1, :], torch.inf)
    for clip in torch.linspace(0.3, 1, 15):
        q = rounded(w, bits, clip)
        error = (q - w).square().sum(-2, keepdim=True)
        best = torch.where(error < least, q, best)
        least = torch.minimum(error, least)
    return best


IMAGES, LABELS = load_digits(return_X_y=True)
IMAGES, LABELS = torch.tensor(IMAGES) / 16, torch.tensor(LABELS)
TRAIN = 1000
SEEDS = 5


def start(width=64):
    """Weights and biases of SEEDS networks, as one batch."""
    shapes = (64, width), (1, width), (width, 10), (1, 10)
    return [
        torch.randn(SEEDS, *s).double() / s[0] ** 0.5 * (s[0] > 1) for s in shapes
    ]


def logits(net, x, change=lambda w: w):
    w1, b1, w2, b2 = net
    hidden = torch.baddbmm(b1, x, change(w1)).relu()
    return torch.baddbmm(b2, hidden, change(w2))


def train(net, steps, rate, change=lambda w: w):
    """SGD with momentum, over batches of 64 for each seed."""
    net = [p.clone().requires_grad_() for p in net]
    speed = [torch.zeros_like(p) for p in net]
    generator = torch.Generator().manual_seed(0)
    for _ in range(steps):
        rows = torch.randint(TRAIN, (SEEDS, 64), generator=generator)
        out = logits(net, IMAGES[rows], change)
        loss = F.cross_entropy(out.flatten(0, 1), LABELS[rows].flatten())
        for p, v, g in zip(net, speed, torch.autograd.grad(SEEDS * loss, net)):
            v.mul_(0.9).add_(g)
            p.data.sub_(rate * v)
    return [p.detach() for p in net]


def accuracy(net, change=lambda w: w):
    x = IMAGES[TRAIN:].expand(SEEDS, -1, -1)
    return (logits(net, x, change).argmax(-1) == LABELS[TRAIN:]).double().mean(1)


def text(shares):
    return f"{shares.mean():.2f} ± {shares.std():.2f}"


if __name__ == "__main__":
    torch.manual_seed(0)
    half = train(start(), 200, 0.1)
    net = train(half, 100, 0.05)
    print("float32   ", text(accuracy(net)))
    print("       rounded       best clip     trained with rounding")
    for bits in (8, 4, 3, 2):
        nearest, clipped, straight_through = (
            partial(change, bits=bits)
            for change in (rounded, best_clip, fake_quantize)
        )
        aware = train(half, 100, 0.05, straight_through)
        shares = (
            accuracy(net, nearest),
            accuracy(net, clipped),
            accuracy(aware, straight_through),
        )
        print(f"{bits} bits", *map(text, shares), sep="  ")
