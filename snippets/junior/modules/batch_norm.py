import torch
from torch import nn

torch.set_printoptions(precision=2)
layer = nn.BatchNorm1d(1)
batch = torch.tensor([[1.0], [2.0], [3.0], [10.0]])

print("train, all four: ", layer(batch).detach().flatten())
print("train, first two:", layer(batch[:2]).detach().flatten())
layer.eval()
print("eval, all four:  ", layer(batch).detach().flatten())
print("eval, first two: ", layer(batch[:2]).detach().flatten())
