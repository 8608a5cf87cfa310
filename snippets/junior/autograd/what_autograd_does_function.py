import torch
from torch.autograd import Function, gradcheck


class Cube(Function):
    """x ** 3 for a float tensor of any shape, with a derivative by hand."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


class Forgetful(Cube):
    """The same, but backward() ignores the gradient that arrives."""

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x**2


if __name__ == "__main__":
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    for cube in (Cube, Forgetful):
        (gradient,) = torch.autograd.grad(cube.apply(x).sum(), x)
        passed = gradcheck(cube.apply, (x,), raise_exception=False)
        print(
            f"{cube.__name__:9} gradient {gradient.tolist()}, gradcheck: {passed}"
        )
