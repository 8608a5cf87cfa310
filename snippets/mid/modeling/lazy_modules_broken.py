import copy

import torch
from torch import nn

layer = nn.LazyLinear(3)
early = "decay" if layer.weight.ndim >= 2 else "no decay"
layer(torch.zeros(1, 5))
late = "decay" if layer.weight.ndim >= 2 else "no decay"
print(f"group of the weight by ndim: {early} before, {late} after")

student = nn.LazyLinear(3)
teacher = copy.deepcopy(student)  # before the first forward
x = torch.ones(1, 5)
print(
    "copied before the dry run, same output:", torch.equal(student(x), teacher(x))
)
teacher = copy.deepcopy(student)
print(
    "copied after the dry run, same output: ", torch.equal(student(x), teacher(x))
)

for name, use in (
    ("zeros_", nn.init.zeros_),
    ("freeze", lambda p: p.requires_grad_(False)),
):
    try:
        use(nn.LazyLinear(3).weight)
    except ValueError as error:
        print(f"{name}: ValueError: {str(error).split(' in ')[0]} ...")
