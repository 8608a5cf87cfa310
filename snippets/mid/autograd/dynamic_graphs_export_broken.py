import torch
from torch import nn


class WithIf(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return 2 * x
        return -x


class WithCond(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: 2 * x, lambda x: -x, (x,))


for model in (WithIf(), WithCond()):
    try:
        exported = torch.export.export(model, (torch.ones(2),)).module()
        print(exported(torch.ones(2)).tolist(), exported(-torch.ones(2)).tolist())
    except RuntimeError as error:
        print(f"{type(error).__name__}: {str(error).partition(' (unhinted')[0]}")
