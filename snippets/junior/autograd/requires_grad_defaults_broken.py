import torch
from torch import nn

norm = nn.BatchNorm1d(4)
x = torch.randn(8, 4)

for name, tensor in {
    "x = torch.randn(8, 4)": x,
    "nn.Parameter(x)": nn.Parameter(x),
    "norm.weight": norm.weight,
    "norm.running_mean, a buffer": norm.running_mean,
    "norm(x)": norm(x),
}.items():
    print(f"{name:28} requires_grad {tensor.requires_grad}")

norm.requires_grad_(False)
print(f"{'norm(x), after freezing':28} requires_grad {norm(x).requires_grad}")

embedding = nn.Embedding(10, 4)
for name, attempt in {
    "freeze one row": lambda: embedding.weight[0].requires_grad_(False),
    "freeze a result": lambda: embedding(torch.tensor([1])).requires_grad_(False),
    "train integers": lambda: nn.Parameter(torch.arange(4)),
}.items():
    try:
        attempt()
    except RuntimeError as error:
        print(f"\n{name}\nRuntimeError: {str(error).partition('. ')[0]}")
