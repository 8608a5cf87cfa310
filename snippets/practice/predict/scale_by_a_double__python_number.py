import torch

scale = 0.5
halves = torch.ones(2, dtype=torch.float16)
integers = torch.ones(2, dtype=torch.int64)
print((halves * scale).dtype, (integers * scale).dtype)
