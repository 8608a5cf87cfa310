import torch
from torch import nn

first, second = nn.Linear(8, 8), nn.Linear(8, 8)
chain = nn.Sequential(first, nn.ReLU(), second)
x = torch.randn(5, 8)
print("a straight chain:", torch.equal(chain(x), second(first(x).relu())))
try:
    chain(x, x)
except TypeError as error:
    print("two inputs:       TypeError")
    print("   ", error)


class WithSkip(nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + super().forward(x)


print("the input twice: ", torch.equal(WithSkip(*chain)(x), x + chain(x)))
