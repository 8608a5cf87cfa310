import torch
from torch import nn

data = torch.randn(3)
weights = {
    "nn.Parameter(data * 0.1)": nn.Parameter(data * 0.1),
    "nn.Parameter(data) * 0.1": nn.Parameter(data) * 0.1,
    "nn.Parameter(data).double()": nn.Parameter(data).double(),
    "nn.Parameter(data).float()": nn.Parameter(data).float(),
    "torch.randn(3, requires_grad=True)": torch.randn(3, requires_grad=True),
}
for text, weight in weights.items():
    model = nn.Module()
    model.weight = weight
    print(f"{text:35} registered: {len(list(model.parameters())) == 1}")

model = nn.Linear(2, 2)
try:
    model.weight = torch.zeros(2, 2)
except TypeError as error:
    print(f"\nTypeError: {str(error).split(' (')[0]}")
