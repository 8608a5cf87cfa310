# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.03
# slow = "trains 24 small transformers"
# ///
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap


class PostNorm(nn.Module):
    """A transformer of six layers with the norm after each residual sum."""

    def __init__(self, width: int = 16, layers: int = 6, tokens: int = 16) -> None:
        super().__init__()
        self.embed = nn.Embedding(tokens, width)
        self.place = nn.Parameter(torch.randn(8, width) * 0.02)
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.down = nn.ModuleList(
            nn.Linear(2 * width, width) for _ in range(layers)
        )
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers))
        self.head = nn.Linear(width, tokens)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        x = self.embed(t) + self.place
        for i, qkv in enumerate(self.qkv):
            q, k, v = qkv(x).chunk(3, dim=-1)
            scores = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(dim=-1)
            x = self.norm[2 * i](x + self.out[i](scores @ v))
            x = self.norm[2 * i + 1](x + self.down[i](self.up[i](x).relu()))
        return self.head(x)


def final_losses(rates: list[float], seeds: int, warmup: int, steps: int = 80):
    """Mean loss of the last ten steps of Adam, float32 (len(rates), seeds).

    The task is to write eight tokens in reverse.

    Args:
        warmup: steps in which the rate rises linearly; 0 for none.
    """
    models = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        models.append(PostNorm())
    stacked, _ = stack_module_state(models * len(rates))
    weights = {name: w.detach() for name, w in stacked.items()}
    means = {name: torch.zeros_like(w) for name, w in weights.items()}
    squares = {name: torch.zeros_like(w) for name, w in weights.items()}
    lr = torch.tensor(rates).repeat_interleave(seeds)

    def loss(weights: dict[str, torch.Tensor], t: torch.Tensor) -> torch.Tensor:
        logits = functional_call(models[0], weights, (t,))
        return F.cross_entropy(logits.flatten(0, 1), t.flip(-1).flatten())

    gradients_and_losses = vmap(grad_and_value(loss), in_dims=(0, None))
    generator = torch.Generator().manual_seed(0)
    history = []
    for t in range(1, steps + 1):
        tokens = torch.randint(16, (8, 8), generator=generator)
        gradients, losses = gradients_and_losses(weights, tokens)
        history.append(losses)
        rate = lr * min(1.0, t / warmup) if warmup else lr
        for name, g in gradients.items():
            m, v = means[name].lerp_(g, 0.1), squares[name].lerp_(g**2, 0.001)
            root = (v / (1 - 0.999**t)).sqrt() + 1e-8
            shaped = rate.view(-1, *[1] * (g.ndim - 1))
            weights[name] -= shaped * m / (1 - 0.9**t) / root
    return torch.stack(history)[-10:].mean(dim=0).view(len(rates), seeds)


if __name__ == "__main__":
    rates = [0.001, 0.003, 0.01, 0.03]
    print(f"{'loss after 80 steps':22}", *[f"{rate:>6g}" for rate in rates])
    for warmup in (0, 30):
        found = final_losses(rates, 3, warmup)
        medians = found.median(dim=1).values
        best = found[medians.argmin()]
        print(f"warmup of {warmup:2} steps    ", *[f"{m:6.2f}" for m in medians])
        print(f"    best, 3 seeds: {best.min():.2f} to {best.max():.2f}")
