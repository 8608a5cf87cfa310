"""The maximum of every window: by doubling, and by running maxima of blocks."""

import torch
from torch import Tensor


def _checked(x: Tensor, window: int) -> None:
    if x.dim() != 1:
        raise ValueError(f"x must be 1-D, got shape {tuple(x.shape)}")
    if not 1 <= window <= len(x):
        raise ValueError(f"window must be 1 to {len(x)}, got {window}")


def doubling_max(x: Tensor, window: int) -> Tensor:
    """Maximum of each window, by log2(window) passes over x.

    Args:
        x: shape (n,), of a dtype that torch.maximum takes. The maximum of a window
            that holds NaN is NaN.
        window: 1 to n.

    Returns:
        Shape (n - window + 1,), dtype and device of x. May share memory with x.

    Raises:
        ValueError: x is not 1-D, or window is out of range.
    """
    _checked(x, window)
    width = 1
    while 2 * width <= window:
        x = torch.maximum(x[:-width], x[width:])
        width *= 2
    rest = window - width  # two windows of `width` that overlap cover the rest
    return torch.maximum(x[: len(x) - rest], x[rest:]) if rest else x


def blocks_max(x: Tensor, window: int) -> Tensor:
    """The same values as doubling_max, by two running maxima and one maximum.

    A window ends in one block of `window` values and begins in the same or the one
    before: it is the end of the one block and the beginning of the other.
    """
    _checked(x, window)
    n = len(x)
    padding = x[-1:].expand(-n % window)
    blocks = torch.cat([x, padding]).reshape(-1, window)
    beginnings = blocks.cummax(dim=1).values.flatten()
    ends = blocks.flip(1).cummax(dim=1).values.flip(1).flatten()
    return torch.maximum(ends[: n - window + 1], beginnings[window - 1 : n])


if __name__ == "__main__":
    x = torch.tensor([1, 3, 2, 0, 1, 1, 5])
    print(doubling_max(x, 3), blocks_max(x, 3))
    x = torch.tensor([1.0, torch.nan, 2.0, 0.0])
    print(doubling_max(x, 2), blocks_max(x, 2))
