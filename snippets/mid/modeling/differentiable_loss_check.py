import math
from collections.abc import Callable

import torch
from torch import Tensor


def verdict(loss_of: Callable[[Tensor], Tensor], prediction: Tensor) -> str:
    """Says what a loss passes back to a prediction, in float64.

    Args:
        loss_of: takes the prediction and returns the loss; no randomness inside.
            Must compute in float64 if the prediction is float64.
        prediction: floating, any shape with elements, finite; is not changed.

    Returns:
        "raises ..." (here, in backward or close by), "not a scalar tensor", "cut",
        "not float64", "not finite", "zero", "wrong: ..." if slope and differences
        of the loss differ by 0.1%, or "ok".
    """
    z = prediction.detach().to(torch.float64, copy=True).requires_grad_()
    with torch.enable_grad():
        try:
            loss = loss_of(z)
        except Exception as error:
            return f"raises {type(error).__name__}"
        if not isinstance(loss, Tensor) or loss.numel() != 1:
            return "not a scalar tensor"
        if not loss.requires_grad:
            return "cut"
        try:
            (gradient,) = torch.autograd.grad(loss.sum(), z, allow_unused=True)
        except Exception as error:
            return f"raises {type(error).__name__} in backward"
    if gradient is None:
        return "cut"
    if loss.dtype != torch.float64:
        return "not float64"
    if not (loss.isfinite().all() and gradient.isfinite().all()):
        return "not finite"
    if not gradient.any():
        return "zero"
    noise, size = 1e-13 * (1 + abs(loss.item())), 1e-6 * (1 + z.detach().abs())
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):  # central differences along random directions
        direction = torch.randn(z.shape, generator=generator, dtype=z.dtype)
        direction = direction.to(z.device) * size
        with torch.no_grad():
            try:
                found = (loss_of(z + direction) - loss_of(z - direction)).item() / 2
            except Exception as error:
                return f"raises {type(error).__name__} close to the prediction"
            if not math.isfinite(found):
                return "not finite"
        slope = (gradient * direction).sum().item()
        if abs(found - slope) > 1e-3 * max(abs(found), abs(slope)) + noise:
            return f"wrong: {slope / 1e-6:.3f}, differences give {found / 1e-6:.3f}"
    return "ok"


if __name__ == "__main__":
    ce = torch.nn.functional.cross_entropy
    torch.manual_seed(0)
    y, z = torch.tensor([0, 1, 2] * 2), torch.randn(6, 3)
    for name, loss_of in {
        "z.numpy().mean()": lambda z: z.numpy().mean(),
        "argmax != y": lambda z: (z.argmax(1) != y).double().mean(),
        "argmax, flag set": lambda z: (
            (z.argmax(1) != y).double().mean().requires_grad_()
        ),
        "round": lambda z: z.softmax(1).round().mean(),
        "distance of 0": lambda z: (z - z.detach()).square().sum().sqrt(),
        "detached weight": lambda z: (z.softmax(1).detach() * z).sum(),
        "cross_entropy": lambda z: ce(z, y),
    }.items():
        print(f"{name:18}", verdict(loss_of, z).split(":")[0])
