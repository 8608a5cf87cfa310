import torch

scores = torch.arange(100.0)
limit = scores.quantile(0.8)
for _ in range(3):
    scores = scores[scores <= limit]  # what is flagged is not learned
print(len(scores))
