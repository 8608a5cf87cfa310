from typing import TypeVar

import numpy as np
import torch

Array = TypeVar("Array", np.ndarray, torch.Tensor)


def squared_error(weight: Array, x: Array, y: Array) -> Array:
    """Mean squared error of a linear model, with arrays or with tensors.

    Args:
        weight: shape (D,), floating point.
        x: shape (N, D), same dtype.
        y: shape (N,), same dtype.

    Returns:
        A NumPy scalar or a 0-dim tensor of that dtype.
    """
    return ((x @ weight - y) ** 2).mean()


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(8, 3)), generator.normal(size=8)
    weight = np.ones(3)
    x_tensor, y_tensor = torch.tensor(x), torch.tensor(y)
    weight_tensor = torch.tensor(weight, requires_grad=True)

    in_numpy = squared_error(weight, x, y)
    in_torch = squared_error(weight_tensor, x_tensor, y_tensor)
    in_torch.backward()
    print(f"loss with NumPy  {in_numpy:.4f}")
    print(f"loss with torch  {in_torch.item():.4f}, from {in_torch.grad_fn.name()}")
    by_hand = 2 / len(x) * x.T @ (x @ weight - y)
    print("gradient by hand      ", by_hand.round(4).tolist())
    print("gradient by backward()", weight_tensor.grad.numpy().round(4).tolist())
