"""A tuple of tensors on ctx is not saved either: hooks do not see them, and nobody
notices when one is changed.
"""

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx, x: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        rstd = (x.var(dim=-1, correction=0, keepdim=True) + eps).rsqrt()
        xhat = (x - mean) * rstd
        ctx.kept = (xhat, rstd, weight)
        return xhat * weight + bias

    @staticmethod
    def backward(
        ctx: FunctionCtx, grad: Tensor
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None, None]:
        xhat, rstd, weight = ctx.kept
        d_xhat = grad * weight
        along = (d_xhat * xhat).mean(dim=-1, keepdim=True)
        dx = rstd * (d_xhat - d_xhat.mean(dim=-1, keepdim=True) - xhat * along)
        d_weight = (grad * xhat).reshape(-1, len(weight)).sum(dim=0)
        d_bias = grad.reshape(-1, len(weight)).sum(dim=0)
        return dx, d_weight, d_bias, None
