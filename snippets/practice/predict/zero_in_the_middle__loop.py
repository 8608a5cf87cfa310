import torch

a = torch.tensor([1.0, 0.0, 1.0])
b = torch.tensor([1.0, 1.0, 1.0])
states = b.clone()
for t in (1, 2):
    states[t] += a[t] * states[t - 1]
print(states.tolist())
