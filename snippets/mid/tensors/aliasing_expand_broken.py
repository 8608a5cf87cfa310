import torch

row = torch.zeros(1, 3)
bias = row.expand(4, 3)
try:
    bias += 1
except RuntimeError as error:
    print(f"bias += 1:       RuntimeError: {str(error)[:50]}...")
bias[0] = 5
print("bias[0] = 5:    ", bias[:, 0].tolist())

x = torch.arange(4.0)
try:
    x[1:] += x[:-1]
except RuntimeError as error:
    print(f"x[1:] += x[:-1]: RuntimeError: {str(error)[:50]}...")
