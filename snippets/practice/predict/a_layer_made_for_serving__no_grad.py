import torch

with torch.no_grad():
    layer = torch.nn.Linear(2, 1)
try:
    layer(torch.ones(3, 2)).sum().backward()
    print({name: p.grad is not None for name, p in layer.named_parameters()})
except RuntimeError as error:
    print(type(error).__name__)
