import weakref

import torch


class OnCtx(torch.autograd.Function):
    """A square that keeps its input as an attribute of ctx."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.x * gradient


class Saved(OnCtx):
    """The same with save_for_backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient


def inputs_alive(function: type[torch.autograd.Function], steps: int) -> int:
    """How many inputs of the function a sum of losses keeps, after backward()."""
    weight, total, seen = torch.ones(1000, requires_grad=True), 0.0, []
    for _ in range(steps):
        x = weight * 2
        seen.append(weakref.ref(x.untyped_storage()))
        loss = function.apply(x).mean()
        loss.backward()
        total += loss
        del x, loss
    return sum(storage() is not None for storage in seen)


if __name__ == "__main__":
    print("ctx.x = x:               ", inputs_alive(OnCtx, 5), "of 5 inputs alive")
    print("ctx.save_for_backward(x):", inputs_alive(Saved, 5), "of 5 inputs alive")
