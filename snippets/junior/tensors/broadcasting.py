import torch

prediction = torch.tensor([[1.0], [2.0], [3.0]])  # (3, 1), from a linear layer
target = torch.tensor([1.0, 2.0, 3.0])  # (3,), the same three numbers

difference = prediction - target
print("shape", tuple(difference.shape), " mean square", (difference**2).mean())

difference = prediction.squeeze(1) - target
print("shape", tuple(difference.shape), "   mean square", (difference**2).mean())
