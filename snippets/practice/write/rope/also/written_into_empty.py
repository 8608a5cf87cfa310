import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    B, H, T, D = x.shape
    pair = torch.arange(D // 2, device=x.device, dtype=torch.float64)
    if interleaved:
        first, second = slice(0, D, 2), slice(1, D, 2)
    else:
        first, second = slice(0, D // 2), slice(D // 2, D)
    angle = positions.expand(B, T)[:, None, :, None] * theta ** (-2 * pair / D)
    cos, sin = angle.cos().to(torch.float32), angle.sin().to(torch.float32)
    y = torch.empty_like(x)
    y[..., first] = (x[..., first] * cos - x[..., second] * sin).to(x.dtype)
    y[..., second] = (x[..., first] * sin + x[..., second] * cos).to(x.dtype)
    return y
