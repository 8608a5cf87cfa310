import torch
from torch import nn

model = nn.Linear(3, 1)
weight = model.weight
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.ones(4, 3)).sum().backward()
optimizer.step()

model.to(torch.float64)
held = optimizer.param_groups[0]["params"][0]
print(f"same Parameter object    {model.weight is weight}")
print(f"held by the optimizer    {held is model.weight}")
print(f"weight                   {model.weight.dtype}")
print(f"momentum of the weight   {optimizer.state[held]['momentum_buffer'].dtype}")

optimizer.load_state_dict(optimizer.state_dict())
print(f"after load_state_dict()  {optimizer.state[held]['momentum_buffer'].dtype}")
