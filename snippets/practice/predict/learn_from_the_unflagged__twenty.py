import torch

scores = torch.arange(100.0)
for _ in range(3):
    limit = len(scores) - 20
    scores = scores[:limit]  # what is flagged is not learned
print(len(scores))
