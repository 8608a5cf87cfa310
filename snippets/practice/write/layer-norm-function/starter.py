import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


class LayerNorm(torch.autograd.Function):
    """LayerNorm.apply(x, weight, bias, eps), with a backward pass by hand.

    The result is (x - mean) / sqrt(var + eps) * weight + bias, with the mean and
    the biased variance over the last axis.

    Args:
        x: (..., C), one axis or more, of any strides.
        weight, bias: (C,).
        eps: a float.
    """

    @staticmethod
    def forward(
        ctx: FunctionCtx, x: Tensor, weight: Tensor, bias: Tensor, eps: float
    ) -> Tensor:
        """The result. Tensors for backward go through ctx.save_for_backward."""
        raise NotImplementedError

    @staticmethod
    def backward(
        ctx: FunctionCtx, grad: Tensor
    ) -> tuple[Tensor | None, Tensor | None, Tensor | None, None]:
        """One gradient for each argument of forward, and None for eps.

        A gradient that nobody needs may be None. The incoming one, of the result's
        shape and of any strides, is not changed. Backward of backward is left open.
        """
        raise NotImplementedError
