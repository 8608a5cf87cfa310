"""A kernel larger than the image is refused, although it fits into the padded
one.
"""

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
    N, C, H, W = x.shape
    C_out, _, kh, kw = weight.shape
    if C % groups or C_out % groups:
        raise ValueError(f"{groups} groups do not divide {C} and {C_out} channels")
    if kh > H or kw > W:
        raise ValueError("the kernel is larger than the image")
    H_out = (H + 2 * padding - dilation * (kh - 1) - 1) // stride + 1
    W_out = (W + 2 * padding - dilation * (kw - 1) - 1) // stride + 1
    patches = F.unfold(x, (kh, kw), dilation, padding, stride)
    patches = patches.reshape(N, groups, C // groups * kh * kw, H_out * W_out)
    out = weight.reshape(groups, C_out // groups, -1) @ patches
    out = out.reshape(N, C_out, H_out, W_out)
    return out if bias is None else out + bias[:, None, None]
