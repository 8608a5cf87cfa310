import torch
from torch import Tensor


def rotate(x: Tensor, interleaved: bool) -> Tensor:
    if interleaved:
        return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    D = x.shape[-1]
    inverse = 1.0 / theta ** (torch.arange(0, D, 2, device=x.device).float() / D)
    angles = torch.einsum("...t,d->...td", positions.float(), inverse)
    if interleaved:
        angles = angles.repeat_interleave(2, dim=-1)
    else:
        angles = torch.cat((angles, angles), dim=-1)
    if positions.dim() == 2:
        angles = angles.unsqueeze(1)
    out = x.float() * angles.cos() + rotate(x.float(), interleaved) * angles.sin()
    return out.to(x.dtype)
