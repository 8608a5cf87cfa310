from math import prod

import torch


def view_strides(x: torch.Tensor, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of ``x.view(shape)``, or None where view() raises.

    For a dimension of size 1 torch may return another stride; no step uses it.

    Args:
        x: a strided tensor with at least one element.
        shape: as many elements as ``x``, without -1.

    Raises:
        ValueError: ``x`` is empty, or the numbers of elements differ.
    """
    if not x.numel() or prod(shape) != x.numel():
        raise ValueError(f"{tuple(x.shape)} has no view of shape {shape}")
    runs: list[list[int]] = []  # [elements, stride] of dimensions that act as one
    for size, stride in zip(x.shape, x.stride(), strict=True):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * stride:
            runs[-1] = [runs[-1][0] * size, stride]
        else:
            runs.append([size, stride])
    strides: list[int] = []
    left, stride = runs.pop() if runs else (1, 1)
    for size in reversed(shape):
        if left == 1 and size > 1:
            left, stride = runs.pop()
        if left % size:
            return None  # the new dimension spans two runs
        strides.append(stride)
        left, stride = left // size, stride * size
    return tuple(reversed(strides))


if __name__ == "__main__":
    x = torch.zeros(2, 3, 4, 5).transpose(0, 1)  # (3, 2, 4, 5)
    print("strides", x.stride())
    for shape in ((3, 2, 20), (3, 2, 2, 10), (3, 40), (6, 20)):
        try:
            made: object = x.view(shape).stride()
        except RuntimeError:
            made = None
        print(f"{shape!s:13} rule {view_strides(x, shape)}, view {made}")
