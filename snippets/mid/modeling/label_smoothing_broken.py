import torch
from torch.nn import functional as F

logits = torch.tensor([[2.0, 0.5, -1.0]])
masked = logits.masked_fill(torch.tensor([False, False, True]), -torch.inf)
label = torch.tensor([0])
for eps in (0.0, 0.1):
    for name, z in (("all classes", logits), ("class 2 masked", masked)):
        loss = F.cross_entropy(z, label, label_smoothing=eps)
        print(f"label_smoothing {eps}  {name:14}  loss {loss:.3f}")
