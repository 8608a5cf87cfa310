import torch

host = torch.tensor([1.0, 2.0])
moved = host.to("cpu", non_blocking=True)
kept = host.to("cpu", torch.float64)
host.fill_(9.0)
print(moved.tolist(), kept.tolist())
