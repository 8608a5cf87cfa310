import torch
from torch import nn


def padded(size: int, multiple: int = 8) -> int:
    """The smallest multiple that holds size."""
    return -(-size // multiple) * multiple


classes = 5
head = nn.Linear(16, padded(classes), bias=False)
nn.init.zeros_(head.weight)  # all logits are equal
logits = head(torch.ones(1, 16))
print("classes:", classes, "| columns:", logits.shape[1])
everything = logits.softmax(-1)
print(f"softmax over all columns: {everything[:, classes:].sum():.3f} for no class")
real = logits[:, :classes].softmax(-1)
print(f"softmax over the classes: each {real[0, 0]:.3f}")
print(
    "vocabulary 50257:", padded(50257), "or, as multiple of 64,", padded(50257, 64)
)
