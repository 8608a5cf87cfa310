import torch


def top_k_by_value(logits, k):
    kth = logits.topk(k).values[..., -1:]
    return logits.masked_fill(logits < kth, -torch.inf)


def top_k_by_index(logits, k):
    values, indices = logits.topk(k)
    return torch.full_like(logits, -torch.inf).scatter(-1, indices, values)


logits = torch.tensor([2.0, 1.0, 1.0, 1.0, 0.0])
print(top_k_by_value(logits, 2).isfinite().sum().item())
print(top_k_by_index(logits, 2).isfinite().sum().item())
