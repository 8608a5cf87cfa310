import torch
from torch import Tensor


def mlp_gradients(
    x: Tensor, y: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor
) -> tuple[Tensor, list[Tensor]]:
    """Loss and gradients of a two-layer MLP, by hand. Called under torch.no_grad().

    logits = relu(x @ w1.T + b1) @ w2.T + b2, and the loss is the mean over the N
    rows of the cross-entropy with y.

    Args:
        x: (N, D), float32 or float64, as are all but y.
        y: (N,) int64, the classes.
        w1, b1: (H, D) and (H,), as in nn.Linear.
        w2, b2: (V, H) and (V,).

    Returns:
        The loss, a scalar, and the list [dw1, db1, dw2, db2, dx] of its gradients,
        each in the shape of its tensor. The slope of relu at exactly 0 may be any.
    """
    raise NotImplementedError
