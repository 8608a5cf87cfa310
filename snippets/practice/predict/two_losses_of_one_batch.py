import torch
import torch.nn.functional as F

scores = -torch.tensor([[[4.0, 0.0, 0.0]], [[2.0, 2.0, 2.0]]])  # one class
labels = torch.tensor([[0, -100, -100], [0, 0, 0]])
whole = F.nll_loss(scores, labels)
pairs = zip(scores.split(1), labels.split(1), strict=True)
rows = [F.nll_loss(score, label) for score, label in pairs]
print(whole.item(), (sum(rows) / 2).item())
