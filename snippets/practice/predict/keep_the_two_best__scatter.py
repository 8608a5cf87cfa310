import torch

logits = torch.tensor([2.0, 1.0, 1.0, 1.0, 0.0])
values, indices = logits.topk(2)
kept = torch.full_like(logits, -torch.inf).scatter(0, indices, values)
print((kept.softmax(dim=0) > 0).sum().item())
