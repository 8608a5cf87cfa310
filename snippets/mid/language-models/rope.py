import torch
from torch import Tensor


def rotate(x: Tensor, position: Tensor | int, theta: float = 10_000.0) -> Tensor:
    """Rotate the pairs (i, i + D/2) of (..., D) by position times frequency."""
    half = x.shape[-1] // 2
    frequency = theta ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.as_tensor(position)[..., None] * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k = torch.randn(2, 128, dtype=torch.float64)
    for m, n in ((5, 2), (105, 102), (10_005, 10_002)):
        print(f"query at {m}, key at {n}: {rotate(q, m) @ rotate(k, n):.6f}")
    for far in (0, 5, 500):
        keys = rotate(rotate(q, far), torch.arange(1001))  # q, turned ahead
        scores = keys @ rotate(q, 1000)
        print(
            f"turned by {far}: largest score at distance {1000 - scores.argmax()}"
        )
