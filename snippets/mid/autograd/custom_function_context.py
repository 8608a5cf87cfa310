import gc
import weakref

import torch
from torch.autograd import Function


class OnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = x.exp()
        return ctx.y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.y


class Saved(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


def gradient_after_write(function: type[Function]) -> str:
    """Gradient of exp at 0, where 1 is right, if 1 is added to the output."""
    x = torch.zeros(1, requires_grad=True)
    y = function.apply(x)
    y += 1
    try:
        y.backward()
    except RuntimeError:
        return "RuntimeError"
    return str(x.grad.item())


def stays_in_memory(function: type[Function]) -> bool:
    """Whether the node lives on after its output is gone, until a collection."""
    gc.collect()
    gc.disable()
    y = function.apply(torch.zeros(1, requires_grad=True))
    node = weakref.ref(y.grad_fn)
    del y
    alive = node() is not None
    gc.enable()
    gc.collect()
    return alive


if __name__ == "__main__":
    for function in (OnContext, Saved):
        print(f"{function.__name__:10} gradient {gradient_after_write(function)}")
        print(f"{'':10} in a cycle: {stays_in_memory(function)}")
