import torch

cache = torch.tensor([])  # no token yet
for _ in range(3):
    k = torch.ones(1, 64, dtype=torch.bfloat16)
    cache = torch.cat([cache, k])
print(tuple(cache.shape), cache.nbytes)
