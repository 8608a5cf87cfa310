from typing import Any

import torch


class Product(torch.autograd.Function):
    """Elementwise product whose backward ignores that its inputs were broadcast."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(
        ctx: Any, gradient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = ctx.saved_tensors
        return gradient * b, gradient * a  # both have the shape of the result


if __name__ == "__main__":
    a = torch.rand(3, 1, requires_grad=True)
    b = torch.rand(4, requires_grad=True)
    mine = torch.autograd.grad(Product.apply(a, b).sin().sum(), (a, b))
    right = torch.autograd.grad((a * b).sin().sum(), (a, b))
    for name, x, y in zip("ab", mine, right):
        print(
            f"gradient of {name}: {tuple(x.shape)}, right: {torch.allclose(x, y)}"
        )
