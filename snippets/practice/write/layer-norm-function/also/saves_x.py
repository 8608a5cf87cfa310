import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: FunctionCtx, x: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        rstd = 1 / torch.sqrt(var + eps)
        ctx.save_for_backward(x, mean, rstd, weight)
        return torch.addcmul(bias, (x - mean) * rstd, weight)

    @staticmethod
    def backward(
        ctx: FunctionCtx, grad: Tensor
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None, None]:
        x, mean, rstd, weight = ctx.saved_tensors
        needs_x, needs_weight, needs_bias, _ = ctx.needs_input_grad
        dx = d_weight = d_bias = None
        xhat = (x - mean) * rstd
        C = x.shape[-1]
        if needs_x:
            d = grad * weight
            total = d.sum(-1, keepdim=True)
            dot = (d * xhat).sum(-1, keepdim=True)
            dx = rstd / C * (C * d - total - xhat * dot)
        if needs_weight:
            d_weight = (
                torch.einsum("nc,nc->c", grad.flatten(0, -2), xhat.flatten(0, -2))
                if (grad.dim() > 1)
                else grad * xhat
            )
        if needs_bias:
            d_bias = (
                grad.sum(dim=list(range(grad.dim() - 1)))
                if grad.dim() > 1
                else grad
            )
        return dx, d_weight, d_bias, None
