import torch

ones = torch.ones(1000, dtype=torch.bfloat16)
total = torch.tensor(0.0, dtype=torch.bfloat16)
for one in ones:
    total += one
print(total.item(), sum(ones).item())
