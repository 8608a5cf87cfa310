import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F


class Block(nn.Module):
    """Pre-norm block; x and its result have shape (batch, length, width).

    Args:
        drop: rate of three dropouts, 0 for none. They call the operation that CUDA
            uses, `native_dropout`, whose mask has one byte for each element.
    """

    def __init__(self, width: int, heads: int, fused: bool, drop: float) -> None:
        super().__init__()
        self.heads, self.fused, self.rate = heads, fused, drop
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = (
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def drop(self, x: torch.Tensor) -> torch.Tensor:
        return torch.native_dropout(x, self.rate, True)[0] if self.rate else x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(self.norm1(x)).chunk(3, -1)
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in parts)
        if self.fused:
            mixed = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = q @ k.mT * q.shape[-1] ** -0.5
            mixed = self.drop(scores.softmax(-1)) @ v
        x = x + self.drop(self.out(mixed.transpose(1, 2).flatten(2)))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)))))


def saved(layer: nn.Module, x: torch.Tensor) -> dict[int, torch.Tensor]:
    """A tensor of each storage that autograd saves, without the weights."""
    kept: list[torch.Tensor] = []
    with saved_tensors_hooks(kept.append, lambda _: None):
        layer(x)
    found = {t.untyped_storage().data_ptr(): t for t in kept}
    for weight in layer.parameters():
        found.pop(weight.data_ptr(), None)
    return found


if __name__ == "__main__":
    b, s, h, a = 2, 192, 128, 2
    x = torch.randn(b, s, h, requires_grad=True)
    print("saved, in units of the input")
    for t in saved(Block(h, a, fused=True, drop=0), x).values():
        print(
            f"{tuple(t.shape)!s:18}{t.untyped_storage().nbytes() / x.nbytes:7.3f}"
        )

    print("\nbytes, scores kept  dropout   per b s h   per a s s b")
    for dtype in (torch.float32, torch.bfloat16):
        for drop in (0.0, 0.1):
            x = torch.randn(b, s, h, dtype=dtype, requires_grad=True)
            found = saved(Block(h, a, fused=False, drop=drop).to(dtype), x).values()
            square = {True: 0, False: 0}
            for t in found:
                if t.shape[-1] > 1:  # not the statistics of layer norm
                    is_score = t.numel() == b * a * s * s
                    square[is_score] += t.untyped_storage().nbytes()
            linear, scores = (
                square[False] / (b * s * h),
                square[True] / (a * s * s * b),
            )
            print(f"{dtype!s:19}{drop:8}{linear:12.1f}{scores:14.1f}")
