import torch
import torch.nn.functional as F

# Predictions for 2 samples: 1 value, 3 classes, 3 tags.
value, classes, tags = [torch.zeros(2, n) for n in (1, 3, 3)]

target = torch.tensor([[1.0], [2.0]])  # float
print(f"regression:  {F.mse_loss(value, target):.2f}")

target = torch.tensor([2, 0])  # int64 class indices
print(f"multi-class: {F.cross_entropy(classes, target):.2f}")

target = torch.tensor([[1.0, 1, 0], [0, 0, 0]])  # float
loss = F.binary_cross_entropy_with_logits(tags, target)
print(f"multi-label: {loss:.2f}")
