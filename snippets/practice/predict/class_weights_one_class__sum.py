import torch
import torch.nn.functional as F

logits = torch.zeros(4, 2)
target = torch.tensor([0, 0, 0, 0])
weight = torch.tensor([10.0, 1.0])
loss = F.cross_entropy(logits, target, weight=weight, reduction="sum")
print(round(loss.item(), 4))
