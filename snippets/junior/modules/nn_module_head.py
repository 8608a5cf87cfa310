import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8, bias=False)
        self.head = nn.Linear(8, 2, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


torch.manual_seed(0)
model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.head = nn.Linear(8, 3, bias=False)  # a task of three classes

before = {n: p.detach().clone() for n, p in model.named_parameters()}
model(torch.ones(1, 4)).sum().backward()
optimizer.step()
for name, p in model.named_parameters():
    moved = not torch.equal(p, before[name])
    print(f"{name}: gradient {p.grad is not None}, moved {moved}")
