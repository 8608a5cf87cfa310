import torch

x = torch.full((3, 2), 10.0)  # 3 samples
branch = torch.ones(3, 2)


def mask(*shape: int) -> torch.Tensor:
    torch.manual_seed(3)
    return torch.empty(shape).bernoulli_(0.5) / 0.5


print("one mask per sample  ", (x + branch * mask(3, 1)).tolist())
print("the sum dropped      ", ((x + branch) * mask(3, 1)).tolist())
print("one mask per element ", (x + branch * mask(3, 2)).tolist())
print("one mask per batch   ", (x + branch * mask(1, 1)).tolist())
print("no division          ", (x + branch * mask(3, 1) * 0.5).tolist())
