import torch

a = torch.tensor([1.0, 0.0, 1.0])
b = torch.tensor([1.0, 1.0, 1.0])
product = a.cumprod(0)
states = product * (b / product).cumsum(0)
print(states.tolist())
