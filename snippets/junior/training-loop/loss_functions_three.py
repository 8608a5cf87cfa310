import torch
import torch.nn.functional as F

# Two samples; all predictions are zero.
number = torch.zeros(2, 1)
classes = tags = torch.zeros(2, 3)

target = torch.tensor([[1.0], [2.0]])  # float
print(f"regression:  {F.mse_loss(number, target):.2f}")

target = torch.tensor([2, 0])  # int64 class indices
print(f"multi-class: {F.cross_entropy(classes, target):.2f}")

target = torch.tensor([[1.0, 1, 0], [0, 0, 0]])  # float
loss = F.binary_cross_entropy_with_logits(tags, target)
print(f"multi-label: {loss:.2f}")
