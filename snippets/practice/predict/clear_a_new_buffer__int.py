import torch

torch.use_deterministic_algorithms(True)
buffer = torch.empty(2, dtype=torch.int32)
buffer *= 0
print((buffer + 1).tolist())
