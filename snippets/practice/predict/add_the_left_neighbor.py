import torch

x = torch.tensor([1, 2, 3, 4])
try:
    x[1:] += x[:-1]
    print(x.tolist())
except RuntimeError as error:
    print(type(error).__name__)
