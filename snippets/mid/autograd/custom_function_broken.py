import textwrap

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return ctx.factor * grad


class Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        return grad * torch.ones(3)


x = torch.ones(2, requires_grad=True)
for y in (Scale.apply(x, 3.0), Total.apply(x)):
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(textwrap.fill(f"RuntimeError: {error}", width=76))
