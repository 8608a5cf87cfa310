import torch
from torch import nn

model = nn.Sequential(
    nn.LazyConv2d(8, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)
)
print("before:", model[3])
try:
    print(sum(p.numel() for p in model.parameters()))
except ValueError as error:
    print(f"ValueError: {str(error).split(' in ')[0]} ...")
with torch.no_grad():
    model(torch.zeros(1, 3, 8, 8))  # the dry run
print("after: ", model[3])
print("parameters:", sum(p.numel() for p in model.parameters()))
