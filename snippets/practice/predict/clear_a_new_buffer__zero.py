import torch

torch.use_deterministic_algorithms(True)
buffer = torch.empty(2)
buffer.zero_()
print((buffer + 1).tolist())
