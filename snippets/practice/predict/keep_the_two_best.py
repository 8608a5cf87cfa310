import torch

logits = torch.tensor([2.0, 1.0, 1.0, 1.0, 0.0])
values, indices = logits.topk(2)
kept = logits.masked_fill(logits < values[-1], -torch.inf)
print((kept.softmax(dim=0) > 0).sum().item())
