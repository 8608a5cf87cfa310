import torch

image = torch.zeros(1, 3, 2, 2)
noise = torch.zeros(1, 3, 2, 2)
print((image + noise).stride(1), (noise + image).stride(1))
