import torch
from torch import nn

weights = {
    "nn.Parameter(torch.randn(3) * 0.1)": nn.Parameter(torch.randn(3) * 0.1),
    "nn.Parameter(torch.randn(3)) * 0.1": nn.Parameter(torch.randn(3)) * 0.1,
    "nn.Parameter(torch.randn(3)).double()": nn.Parameter(torch.randn(3)).double(),
    "nn.Parameter(torch.randn(3)).float()": nn.Parameter(torch.randn(3)).float(),
    "torch.randn(3, requires_grad=True)": torch.randn(3, requires_grad=True),
}
for text, weight in weights.items():
    model = nn.Module()
    model.weight = weight
    print(
        f"{text:38} registered {len(list(model.parameters()))}   leaf {weight.is_leaf}"
    )

model = nn.Linear(2, 2)
try:
    model.weight = torch.zeros(2, 2)
except TypeError as error:
    print(f"\nTypeError: {error}")
