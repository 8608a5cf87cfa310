import torch
from torch import Tensor


def apply_rope(
    x: Tensor, positions: Tensor, theta: float = 10000.0, interleaved: bool = False
) -> Tensor:
    D = x.shape[-1]
    order = torch.arange(D, device=x.device)
    if not interleaved:
        order = order.reshape(2, D // 2).T.reshape(D)
    exponent = torch.arange(D // 2, device=x.device) * (-2.0 / D)
    angle = positions[..., None] * theta**exponent
    if angle.ndim == 2:
        angle = angle[None]
    cos, sin = angle.cos(), angle.sin()
    rows = (torch.stack((cos, -sin), -1), torch.stack((sin, cos), -1))
    matrix = torch.stack(rows, -2)[:, None]  # (B or 1, 1, T, D/2, 2, 2)
    pairs = x[..., order].unflatten(-1, (D // 2, 2)).to(matrix.dtype)
    y = (matrix @ pairs[..., None]).squeeze(-1).flatten(-2).to(x.dtype)
    return y[..., order.argsort()]
