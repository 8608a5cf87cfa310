import torch
import torch.nn.functional as F


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    if x.size(1) % groups or weight.size(0) % groups:
        raise ValueError("channels")
    size = weight.shape[-2:]
    height, width = (
        (extent + 2 * padding - dilation * (k - 1) - 1) // stride + 1
        for extent, k in zip(x.shape[-2:], size)
    )
    parts = []
    for inputs, kernels in zip(x.chunk(groups, 1), weight.chunk(groups, 0)):
        columns = F.unfold(
            inputs, size, dilation=dilation, padding=padding, stride=stride
        )
        flat = columns.transpose(1, 2) @ kernels.flatten(1).T  # (N, L, O / groups)
        parts.append(flat.transpose(1, 2))
    out = torch.cat(parts, 1)
    if bias is not None:
        out = out + bias.unsqueeze(1)
    return out.unflatten(2, (height, width))
