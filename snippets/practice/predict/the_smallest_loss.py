import torch

losses = torch.tensor([0.7, float("nan"), 0.3])
print(losses.argmin().item(), losses.argsort()[0].item())
