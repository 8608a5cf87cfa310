# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

WIDTH = 64


class Block(nn.Module):
    """The feed-forward half of a transformer block. x: (tokens, width)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up, self.down = (
            nn.Linear(WIDTH, 4 * WIDTH),
            nn.Linear(4 * WIDTH, WIDTH),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def memory(tokens: int, autocast: bool, dtype: torch.dtype) -> dict[str, int]:
    """Bytes of one training step with Adam, by what they are for."""
    model = nn.Sequential(*(Block() for _ in range(4))).to(dtype)
    weights, kept = list(model.parameters()), {}
    own = {weight.data_ptr() for weight in weights}

    def keep(t: torch.Tensor) -> torch.Tensor:
        if t.data_ptr() not in own:
            kept[t.data_ptr()] = t
        return t

    region = torch.autocast("cpu", torch.bfloat16, enabled=autocast)
    with saved_tensors_hooks(keep, lambda t: t), region:
        output = model(torch.randn(tokens, WIDTH, dtype=dtype))
    saved = sum(t.nbytes for t in kept.values())
    output.sum().backward()
    size = sum(weight.nbytes for weight in weights)
    gradients = sum(weight.grad.nbytes for weight in weights)
    return {
        "parameters": size,
        "gradients": gradients,
        "Adam": 2 * size,
        "saved for backward": saved,
    }


if __name__ == "__main__":
    print("KB                parameters  gradients   Adam  saved for backward")
    bars = {}
    for tokens in (64, 1024):
        for name, autocast, dtype in (
            ("float32", False, torch.float32),
            ("autocast", True, torch.float32),
            ("bfloat16", False, torch.bfloat16),
        ):
            parts = memory(tokens, autocast, dtype)
            bars[f"{name}\n{tokens}"] = parts
            a, b, c, d = (value // 1000 for value in parts.values())
            print(f"{tokens:4} {name:12}{a:11}{b:11}{c:7}{d:20}")
    bottom = [0.0] * len(bars)
    for part, hatch in zip(parts, ("", "//", "..", "xx"), strict=True):
        heights = [bar[part] / 1e6 for bar in bars.values()]
        plt.bar(list(bars), heights, bottom=bottom, label=part, hatch=hatch)
        bottom = [low + high for low, high in zip(bottom, heights, strict=True)]
    plt.xlabel("recipe, and number of tokens")
    plt.ylabel("MB")
    plt.legend()
    plt.show()
