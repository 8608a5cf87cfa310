from torch import nn
from torch.nn.utils import prune

layer = nn.Linear(4, 4)
for _ in range(1):
    prune.l1_unstructured(layer, "weight", amount=0.5)
print(int((layer.weight == 0).sum()))
