import torch

logits = torch.tensor([4.0, -4.0])  # both tokens were already written
penalized = torch.where(logits > 0, logits / 2.0, logits * 2.0)
print((penalized < logits).tolist())
