import torch
import torch.nn.functional as F


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if x.shape[1] % groups != 0 or weight.shape[0] % groups != 0:
        raise ValueError("groups must divide the channels")
    kh, kw = weight.shape[2:]
    x = F.pad(x, (padding,) * 4)
    x = x.unfold(2, dilation * (kh - 1) + 1, stride)
    x = x.unfold(3, dilation * (kw - 1) + 1, stride)
    x = x[..., ::dilation, ::dilation]  # (N, C, H', W', kh, kw)
    x = x.unflatten(1, (groups, -1))
    w = weight.unflatten(0, (groups, -1))
    out = torch.einsum("ngchwij,gocij->ngohw", x, w).flatten(1, 2)
    if bias is not None:
        out = out + bias.view(1, -1, 1, 1)
    return out
