import torch

scale = torch.tensor([0.5], dtype=torch.float64)
halves = torch.ones(2, dtype=torch.float16)
integers = torch.ones(2, dtype=torch.int64)
print((halves * scale).dtype, (integers * scale).dtype)
