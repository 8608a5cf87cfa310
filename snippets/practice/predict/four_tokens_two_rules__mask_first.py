import torch

logits = torch.tensor([4.0, 3.0, 2.0, 2.0])
valid = torch.tensor([False, False, True, True])

logits[~valid] = -torch.inf
best = logits >= logits.topk(2).values.min()
logits[~best] = -torch.inf
print(logits.softmax(0).tolist())
