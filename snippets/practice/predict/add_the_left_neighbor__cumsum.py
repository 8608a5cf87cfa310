import torch

x = torch.tensor([1, 2, 3, 4])
try:
    x = x.cumsum(0)
    print(x.tolist())
except RuntimeError as error:
    print(type(error).__name__)
