import torch
from torch import Tensor


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
    if x.dim() != 1:
        raise ValueError(f"x must be 1-D, got shape {tuple(x.shape)}")
    if not 1 <= window <= len(x):
        raise ValueError(f"window must be 1 to {len(x)}, got {window}")
    width = 1
    while 2 * width <= window:
        x = torch.maximum(x[:-width], x[width:])
        width *= 2
    rest = window - width  # two windows of `width` that overlap cover the rest
    return torch.maximum(x[: len(x) - rest], x[rest:]) if rest else x


if __name__ == "__main__":
    x = torch.tensor([1, 3, 2, 0, 1, 1, 5])
    print(doubling_max(x, 3))
    x = torch.tensor([1.0, torch.nan, 2.0, 0.0])
    print(doubling_max(x, 2))
