import torch


def center(x):
    x = x.float()
    x = x - x.mean()
    return x


a, b = torch.tensor([1.0, 3.0]), torch.tensor([1, 3])
center(a)
center(b)
print(a.tolist(), b.tolist())
