import torch
import torch.nn.functional as F
from torch import Tensor


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Tensor:
    """What F.conv2d computes: a cross-correlation, so the kernel is not flipped.

    Args:
        x: (N, C, H, W), float32 or float64, of any strides.
        weight: (C_out, C / groups, kh, kw), of any strides. kh and kw may differ.
        bias: (C_out,), or None for none.
        stride: at least 1, for both axes.
        padding: zeros on each of the four sides.
        dilation: at least 1, the distance of neighboring kernel elements.
        groups: output channels are split into this many equal groups, and so are
            input channels; a group of outputs sees only its group of inputs.

    Returns:
        (N, C_out, H_out, W_out). The dilated kernel fits into the padded input:
        H_out = (H + 2 * padding - dilation * (kh - 1) - 1) // stride + 1,
        and W_out in the same way.

    Raises:
        ValueError: groups does not divide C, or does not divide C_out.
    """
    raise NotImplementedError
