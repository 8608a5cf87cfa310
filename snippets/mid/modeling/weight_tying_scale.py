import math

import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
V, D = 1000, 256
hidden, targets = torch.randn(2000, D), torch.randint(V, (2000,))  # as after a norm
print(f"guessing evenly: loss {math.log(V):.1f}")
for name, std in (
    ("own nn.Linear", None),
    ("nn.Embedding", 1.0),
    ("std 0.02", 0.02),
):
    head = nn.Linear(D, V, bias=False)
    if std is not None:
        nn.init.normal_(head.weight, std=std)
    logits = head(hidden)
    print(f"{name:14} logits: std {logits.std():4.1f}, loss", end=" ")
    print(f"{cross_entropy(logits, targets):.0f}")
