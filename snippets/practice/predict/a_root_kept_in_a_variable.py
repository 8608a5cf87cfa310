import torch

parent = torch.arange(6)
root = parent[2]
parent[2] = 5
parent[root] = 4
print(parent.tolist())
