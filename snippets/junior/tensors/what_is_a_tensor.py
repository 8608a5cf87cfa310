from typing import TypeVar

import numpy as np
import torch

Array = TypeVar("Array", np.ndarray, torch.Tensor)


def squared_error(weight: Array, x: Array, y: Array) -> Array:
    """Mean squared error of a linear model, in whichever library the arguments belong to.

    Args:
        weight: shape (D,), floating point.
        x: shape (N, D), same dtype.
        y: shape (N,), same dtype.

    Returns:
        A 0-dim array or tensor of that dtype.
    """
    return ((x @ weight - y) ** 2).mean()


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(8, 3)), generator.normal(size=8)
    weight = np.ones(3)
    x_tensor, y_tensor = torch.tensor(x), torch.tensor(y)
    weight_tensor = torch.tensor(weight, requires_grad=True)

    loss = squared_error(weight_tensor, x_tensor, y_tensor)
    loss.backward()
    by_hand = 2 / len(x) * x.T @ (x @ weight - y)
    print(
        f"loss        NumPy  {squared_error(weight, x, y):.4f}    torch  {loss.item():.4f}"
    )
    print(
        f"recorded    NumPy  {getattr(weight, 'grad_fn', None)!s:6}    torch  {loss.grad_fn.name()}"
    )
    print(
        f"gradient    by hand    {[round(value, 4) for value in by_hand.tolist()]}"
    )
    print(
        f"            backward() {[round(value, 4) for value in weight_tensor.grad.tolist()]}"
    )

    print(
        f"device      NumPy  {weight.device}       torch  {weight_tensor.to('meta').device}"
    )

    shared, copied = torch.from_numpy(weight), torch.tensor(weight)
    weight[0] = 5.0
    shared.numpy()[1] = 7.0
    print(f"array       {weight.tolist()}")
    print(f"from_numpy  {shared.tolist()}")
    print(f"tensor      {copied.tolist()}")
