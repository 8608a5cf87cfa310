import torch

powers = 256 ** torch.arange(6, 10)
print(powers.sign().int().tolist())
