import torch

losses = torch.tensor([1.0, 3.0])  # mean loss of two batches of equal size
print(f"exp of the mean loss: {losses.mean().exp():.1f}")
print(f"mean of perplexities: {losses.exp().mean():.1f}")
