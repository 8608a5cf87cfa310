import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=4, nhead=2, batch_first=True)
layers = nn.TransformerEncoder(layer, num_layers=2).layers
first, second = (block.linear1.weight for block in layers)
print(first is second, torch.equal(first, second))
