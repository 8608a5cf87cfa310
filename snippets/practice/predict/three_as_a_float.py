import torch
from torch import nn
from torch.export import export


class Scale(nn.Module):
    def forward(self, x, k):
        return x * k


x = torch.tensor([1, 2])
served = export(Scale(), (x, 3)).module()
print(served(x, 3.0))
