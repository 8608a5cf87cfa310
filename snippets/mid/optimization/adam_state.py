import torch
from torch import nn

model = nn.Linear(1000, 1000)
model.bias.requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters())
print("before the first step:", dict(optimizer.state))
model(torch.ones(1, 1000)).sum().backward()
optimizer.step()
for name, parameter in model.named_parameters():
    state = optimizer.state.get(parameter, {})
    print(f"{name}: {parameter.nbytes:,} bytes")
    for key, value in state.items():
        print(f"    {key:10} {value.nbytes:>9,} bytes {value.dtype}")
