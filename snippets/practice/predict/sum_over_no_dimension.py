import torch

x = torch.ones(2, 3)
for dims in ([0, 1], [0], []):
    print(x.sum(dim=dims).tolist())
