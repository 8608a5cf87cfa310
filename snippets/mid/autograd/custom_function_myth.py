import torch


class ClampSTE(torch.autograd.Function):
    """As found in tutorials, as a straight-through estimator."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ((x >= -1) & (x <= 1))


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


def slopes(function, x: torch.Tensor) -> list[float]:
    """Gradient of the sum of function(x) for x, float, shape (n,)."""
    x = x.clone().requires_grad_()
    return torch.autograd.grad(function(x).sum(), x)[0].tolist()


if __name__ == "__main__":
    x = torch.tensor([-2.0, -0.6, 0.6, 2.0])
    print("ClampSTE   ", slopes(ClampSTE.apply, x))
    print("clamp      ", slopes(lambda x: x.clamp(-1, 1), x))
    print("RoundSTE   ", slopes(RoundSTE.apply, x))
    print("round      ", slopes(torch.round, x))
