import torch
from torch.nn.functional import pad


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    _, c, h, w = x.shape
    o, per_group, kh, kw = weight.shape
    if c % groups or o % groups:
        raise ValueError(groups)
    height = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1
    width = (w + 2 * padding - dilation * (kw - 1) - 1) // stride + 1
    padded = pad(x, (padding, padding, padding, padding))
    outs = []
    for g in range(groups):
        inputs = padded[:, g * per_group : (g + 1) * per_group]
        kernels = weight[g * (o // groups) : (g + 1) * (o // groups)]
        total = 0
        for i in range(kh):
            for j in range(kw):
                rows = slice(
                    i * dilation, i * dilation + stride * (height - 1) + 1, stride
                )
                columns = slice(
                    j * dilation, j * dilation + stride * (width - 1) + 1, stride
                )
                part = inputs[:, :, rows, columns]
                total = total + torch.tensordot(
                    kernels[:, :, i, j], part, dims=([1], [1])
                )
        outs.append(total.transpose(0, 1))
    out = torch.cat(outs, dim=1)
    return out if bias is None else out + bias.reshape(-1, 1, 1)
