from torch import nn
from torch.nn.utils import prune

layer = nn.Linear(4, 4)
for _ in range(2):
    prune.l1_unstructured(layer, "weight", amount=8)
print(int((layer.weight == 0).sum()))
