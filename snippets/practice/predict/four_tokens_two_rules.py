import torch

logits = torch.tensor([4.0, 3.0, 2.0, 2.0])
valid = torch.tensor([False, False, True, True])

best = logits >= logits.topk(2).values.min()
logits[~best] = -torch.inf
logits[~valid] = -torch.inf
print(logits.softmax(0).tolist())
