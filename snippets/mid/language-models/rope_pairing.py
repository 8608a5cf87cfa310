import torch


def rotate(x: torch.Tensor, interleaved: bool) -> torch.Tensor:
    """Rotate (T, D): pairs of neighbors if interleaved, else i with i + D/2."""
    half = x.shape[-1] // 2
    rates = 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.arange(x.shape[0])[:, None] * rates
    cos, sin = angle.cos(), angle.sin()
    a, b = (x[:, 0::2], x[:, 1::2]) if interleaved else x.chunk(2, dim=-1)
    both = (a * cos - b * sin, a * sin + b * cos)
    return torch.stack(both, -1).flatten(-2) if interleaved else torch.cat(both, -1)


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k = torch.randn(2, 6, 8, dtype=torch.float64)
    order = torch.arange(8).reshape(4, 2).T.flatten()
    right = rotate(q, True) @ rotate(k, True).T
    for name, one, other in (
        ("as loaded", q, k),
        ("rows reordered", q[:, order], k[:, order]),
    ):
        scores = rotate(one, False) @ rotate(other, False).T
        same = torch.isclose(scores, right).sum().item()
        print(f"{name}: {same} of {right.numel()} scores are right")
