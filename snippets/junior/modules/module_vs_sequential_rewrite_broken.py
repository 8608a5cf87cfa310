import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).relu())


chain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
model, x = MLP(), torch.randn(5, 4)
old = chain.state_dict()
print("chain", list(old))
print("class", list(model.state_dict()))
model.load_state_dict(old, strict=False)
print("strict=False  same output:", torch.allclose(model(x), chain(x)))
renamed = zip(model.state_dict(), old.values(), strict=True)
model.load_state_dict(dict(renamed))
print("renamed       same output:", torch.allclose(model(x), chain(x)))
