import textwrap

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD, AdamW, SparseAdam

table, linear = nn.Embedding(6, 2, sparse=True), nn.Linear(2, 1)
linear(table(torch.tensor([1, 4, 1]))).sum().backward()
for name, attempt in {
    "AdamW": AdamW(table.parameters()).step,
    "SGD, weight decay": SGD(table.parameters(), weight_decay=0.1).step,
    "clip_grad_norm_": lambda: clip_grad_norm_(table.parameters(), 1.0),
    "SparseAdam, linear": SparseAdam(linear.parameters()).step,
}.items():
    try:
        attempt()
    except RuntimeError as error:
        text = textwrap.shorten(str(error), 60, placeholder=" ...")
        print(f"{name}:\n  {type(error).__name__}: {text}")
