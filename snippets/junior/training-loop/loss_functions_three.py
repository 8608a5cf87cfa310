import torch
import torch.nn.functional as F

# 4 samples: a number, one of 3 classes, several of 3 tags
number, classes, tags = torch.zeros(4, 1), torch.zeros(4, 3), torch.zeros(4, 3)

target = torch.tensor([[1.0], [0.5], [2.0], [0.0]])  # float, as the prediction
print(f"number:       {F.mse_loss(number, target):.2f}")
target = torch.tensor([2, 0, 1, 1])  # int64 class indices, shape (4,)
print(f"one of three: {F.cross_entropy(classes, target):.2f}")
target = torch.tensor([[1.0, 1, 0], [0, 0, 0], [1, 0, 1], [0, 1, 0]])  # float
print(f"several tags: {F.binary_cross_entropy_with_logits(tags, target):.2f}")
