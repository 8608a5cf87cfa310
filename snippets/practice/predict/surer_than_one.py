import torch

logits = torch.tensor([5.0, 6.0, 7.0, 8.0, 9.0])
probs = logits.bfloat16().sigmoid()
print((probs == 1).sum().item())
