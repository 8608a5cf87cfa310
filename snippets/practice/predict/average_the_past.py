import torch

scores = torch.zeros(4, 4)
values = torch.full((4, 1), 8.0)
future = torch.ones(4, 4).triu(1).bool()
weights = scores.softmax(-1).masked_fill(future, 0)
print((weights @ values).flatten().tolist())
