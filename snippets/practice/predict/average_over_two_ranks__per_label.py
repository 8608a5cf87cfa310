import torch
from torch.nn.functional import cross_entropy

gradients = []
for label in (0, -100):  # rank 0 has one label, rank 1 has only padding
    logits = torch.zeros(1, 2, requires_grad=True)
    cross_entropy(logits, torch.tensor([label]), reduction="sum").backward()
    gradients.append(logits.grad)
print((sum(gradients) / 1).tolist())  # one label
