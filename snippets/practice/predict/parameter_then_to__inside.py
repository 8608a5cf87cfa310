import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3)).to(torch.float32)
        self.bias = nn.Parameter(torch.zeros(3).to(torch.float64))


print(list(Affine().state_dict()))
