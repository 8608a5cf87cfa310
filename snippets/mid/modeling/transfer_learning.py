import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(
    nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU()
)  # "pretrained"
backbone.requires_grad_(False)
model = nn.Sequential(backbone, nn.Linear(8, 2))  # a new head
optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
before = {name: value.clone() for name, value in model.state_dict().items()}
model.train()
for _ in range(5):
    x = torch.randn(32, 4) + 3
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), (x[:, 0] > 3).long()).backward()
    optimizer.step()
for name, value in model.state_dict().items():
    print(f"{name:24} moved: {not torch.equal(value, before[name])}")
