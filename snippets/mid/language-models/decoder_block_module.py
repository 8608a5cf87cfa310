from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as attend
from torch.nn.functional import silu


def rotate(x: Tensor, theta: float = 10_000.0) -> Tensor:
    """Rotate channel i with channel i + half by position times frequency."""
    half = x.shape[-1] // 2
    place = torch.arange(x.shape[-2], device=x.device)[:, None]
    angle = place * theta ** (-torch.arange(half, device=x.device) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat(
        (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1
    ).to(x.dtype)


class Block(nn.Module):
    """A decoder block: (B, T, width) to (B, T, width), causal."""

    def __init__(
        self,
        width: int,
        hidden: int,
        heads: int,
        kv_heads: int,
        qk_norm: bool = False,
    ) -> None:
        super().__init__()
        self.head = width // heads
        self.q = nn.Linear(width, heads * self.head, bias=False)
        self.k = nn.Linear(width, kv_heads * self.head, bias=False)
        self.v = nn.Linear(width, kv_heads * self.head, bias=False)
        self.out = nn.Linear(heads * self.head, width, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        self.norm1, self.norm2 = (nn.RMSNorm(width, eps=1e-5) for _ in range(2))
        norm: Callable = nn.RMSNorm if qk_norm else lambda _: nn.Identity()
        self.q_norm, self.k_norm = norm(self.head), norm(self.head)

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm1(x)
        q, k, v = (
            p(h).unflatten(-1, (-1, self.head)).transpose(1, 2)
            for p in (self.q, self.k, self.v)
        )
        q, k = rotate(self.q_norm(q)), rotate(self.k_norm(k))
        mixed = attend(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        h = self.norm2(x)
        return x + self.down(silu(self.gate(h)) * self.up(h))


if __name__ == "__main__":
    with torch.device("meta"):  # shapes without memory
        embed, head = (
            nn.Embedding(128_256, 4096),
            nn.Linear(4096, 128_256, bias=False),
        )
        blocks = [Block(4096, 14_336, 32, 8) for _ in range(32)]
        model = nn.ModuleList([embed, *blocks, nn.RMSNorm(4096), head])
    print("Llama 3 8B:", f"{sum(p.numel() for p in model.parameters()):,}")

    torch.manual_seed(0)
    small, x = Block(32, 88, 4, 2).double(), torch.randn(1, 6, 32).double()
    changed = x.clone()
    changed[:, 4] += 1
    moved = (small(x) - small(changed)).abs().amax(dim=-1) > 1e-9
    print(
        "token 4 changes the output of tokens",
        moved[0].nonzero().flatten().tolist(),
    )
