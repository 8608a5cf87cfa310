import torch

items = torch.tensor([[2.0, 0.0], [3.0, 3.0], [0.0, 1.0]])
items = items / items.norm(dim=1, keepdim=True)
scores = items @ items.T
print(scores.argmax(1).tolist())
