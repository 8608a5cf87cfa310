import torch

scores = torch.tensor([8.0, 1.0, 1.0]).log()
values = torch.tensor([0.0, 10.0, 20.0])
for first in (0, 1):  # with the first key, and without it
    weights = scores[first:].softmax(0)
    print(round((weights @ values[first:]).item(), 1))
