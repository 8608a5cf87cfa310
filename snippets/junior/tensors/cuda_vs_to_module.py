import torch
from torch import nn

layer = nn.BatchNorm1d(2)
layer.to("meta", torch.float16)
for name, tensor in layer.state_dict().items():
    print(f"{name:20} {tensor.device} {tensor.dtype}")

try:
    layer.to(torch.int64)
except TypeError as error:
    print(f"TypeError: {str(error).split(',')[0]}")
