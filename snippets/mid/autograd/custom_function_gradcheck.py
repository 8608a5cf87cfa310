import torch
from torch.autograd import Function, gradcheck


def function(forward, backward) -> type[Function]:
    """A Function of one tensor x with backward(x, grad), for the comparison."""

    class New(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, grad):
            return backward(*ctx.saved_tensors, grad)

    return New


CASES = {
    "relu, grad * (x > 0)": (torch.relu, lambda x, grad: grad * (x > 0)),
    "relu, grad * (x >= 0)": (torch.relu, lambda x, grad: grad * (x >= 0)),
    "relu, grad itself": (torch.relu, lambda x, grad: grad),
    "round, grad itself": (torch.round, lambda x, grad: grad),
    "5 x, clamped to 1": (lambda x: 5 * x, lambda x, g: (5 * g).clamp(-1, 1)),
    "5 x, clamped to 10": (lambda x: 5 * x, lambda x, g: (5 * g).clamp(-10, 10)),
}

if __name__ == "__main__":
    points = torch.tensor([-1.2, -0.3, 0.4, 1.7]).double().requires_grad_()
    for name, case in CASES.items():
        passed = gradcheck(function(*case).apply, points, raise_exception=False)
        print(f"{name:22} {'passes' if passed else 'is rejected'}")
