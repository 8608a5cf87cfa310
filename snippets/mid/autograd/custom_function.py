import torch
from torch.nn import functional as F


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad, ctx.slope * grad), None


x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
for function in (LeakyReLU.apply, F.leaky_relu):
    (slopes,) = torch.autograd.grad(function(x, 0.1).sum(), x)
    print([round(value, 2) for value in slopes.tolist()])
x = torch.randn(5, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda x: LeakyReLU.apply(x, 0.1), x))
