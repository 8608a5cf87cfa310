import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=4, nhead=2, batch_first=True)
layers = nn.ModuleList(
    nn.TransformerEncoderLayer(4, 2, batch_first=True) for _ in range(2)
)
first, second = (block.linear1.weight for block in layers)
print(first is second, torch.equal(first, second))
