import torch

live = torch.tensor([0.2, 0.9, 3.0, 5.0])  # training had 0 to 1
counts = torch.histc(live, bins=2, min=0, max=1)
print((counts / len(live)).tolist())
