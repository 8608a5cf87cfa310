import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(12, 4)
for norm in (nn.Identity(), nn.BatchNorm1d(8)):
    model = nn.Sequential(nn.Linear(4, 8), norm, nn.Tanh(), nn.Linear(8, 1))
    weight = model[0].weight
    (whole,) = torch.autograd.grad(model(x).square().mean(), weight)
    first, second = (
        torch.autograd.grad(model(half).square().mean(), weight)[0]
        for half in (x[:6], x[6:])
    )
    equal = torch.allclose((first + second) / 2, whole, atol=1e-6)
    print(f"{type(norm).__name__:11} two halves give the whole gradient: {equal}")
