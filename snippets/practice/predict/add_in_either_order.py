import torch

image = torch.zeros(1, 3, 2, 2).to(memory_format=torch.channels_last)
noise = torch.zeros(1, 3, 2, 2)
print((image + noise).stride(1), (noise + image).stride(1))
