# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.5"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.1
# slow = "trains 108 small networks"
# timeout = 300
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap


class CNN(nn.Module):
    """Two convolutions, then the maximum over places: x (N, 12, 12) to 3 logits."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.a, self.b = nn.Conv2d(1, width, 4, 2), nn.Conv2d(width, 2 * width, 3)
        self.head = nn.Linear(2 * width, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.b(self.a(x[:, None]).relu()).relu()
        return self.head(x.amax(dim=(2, 3)))


class ViT(nn.Module):
    """Nine patches, positions, one encoder layer: x (N, 12, 12) to 3 logits."""

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.patch = nn.Linear(16, width)
        self.place = nn.Parameter(torch.randn(9, width) * 0.02)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = (
            nn.Linear(width, 2 * width),
            nn.Linear(2 * width, width),
        )
        self.head = nn.Linear(width, 3)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        split = self.qkv(self.norms[0](x)).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(-2, -3) for t in split)
        weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(dim=-1)
        x = x + self.out((weights @ v).transpose(-2, -3).flatten(-2))
        return x + self.down(F.gelu(self.up(self.norms[1](x))))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.unfold(-2, 4, 4).unfold(-2, 4, 4).flatten(-2).flatten(-3, -2)
        x = self.encode(self.patch(x) + self.place)
        return self.head(self.norms[2](x).mean(dim=-2))


def split(seed: int, count: int) -> list[torch.Tensor]:
    """Digits 0 to 2, at random places of 12 x 12 images: train, then test."""
    images, labels = map(torch.tensor, load_digits(n_class=3, return_X_y=True))
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(labels), generator=generator)
    places = torch.randint(5, (len(labels), 2), generator=generator)
    wide = torch.full((len(labels), 12, 12), -1.0)
    for image, (row, column), pixels in zip(wide, places.tolist(), images):
        image[row : row + 8, column : column + 8] = pixels.view(8, 8) / 8 - 1
    train, test = order[:count], order[337:]
    return [wide[train], labels[train], wide[test], labels[test]]


def accuracies(build: type, count: int, rates: list, seeds: int, steps: int = 120):
    """Test accuracy after Adam on count images: float32, (len(rates), seeds)."""
    models, splits = [], []
    for seed in range(seeds):
        torch.manual_seed(seed)
        models.append(build())
        splits.append(split(seed, count))
    x, y, test, truth = (torch.stack(part * len(rates)) for part in zip(*splits))
    stacked, _ = stack_module_state(models * len(rates))
    weights = {name: w.detach() for name, w in stacked.items()}
    means = {name: torch.zeros_like(w) for name, w in weights.items()}
    squares = {name: torch.zeros_like(w) for name, w in weights.items()}
    lr = torch.tensor(rates).repeat_interleave(seeds)

    def loss(weights: dict, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(functional_call(models[0], weights, (x,)), y)

    gradients_of = vmap(grad_and_value(loss))
    for t in range(1, steps + 1):
        batch = torch.randint(count, (32,))
        gradients, _ = gradients_of(weights, x[:, batch], y[:, batch])
        rate = lr * min(1, t / 20) * (1 - (t - 1) / steps)
        for name, g in gradients.items():
            m, v = means[name].lerp_(g, 0.1), squares[name].lerp_(g**2, 0.01)
            root = (v / (1 - 0.99**t)).sqrt() + 1e-8
            weights[name] -= (
                rate.view(-1, *[1] * (g.ndim - 1)) * m / (1 - 0.9**t) / root
            )
    logits = vmap(lambda w, x: functional_call(models[0], w, (x,)))(weights, test)
    hits = logits.argmax(dim=-1) == truth
    return hits.float().mean(dim=1).view(len(rates), seeds)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rates = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
    inside = []
    print("images  steps    CNN    ViT    worst CNN above best ViT")
    for count, steps in ((20, 120), (320, 120), (320, 300)):
        best = []
        for build in (CNN, ViT):
            found = accuracies(build, count, rates, seeds=3, steps=steps)
            place = found.mean(dim=1).argmax().item()
            best.append(found[place])
            if count > 20:  # with 20 images the ViT's rate hardly matters
                inside.append(0 < place < len(rates) - 1)
        cnn, vit = best
        means = f"{cnn.mean():6.2f} {vit.mean():6.2f}"
        print(f"{count:6} {steps:6} {means}    {(cnn.min() > vit.max()).item()}")
    print("with 320 images each best rate lies inside the grid:", all(inside))
