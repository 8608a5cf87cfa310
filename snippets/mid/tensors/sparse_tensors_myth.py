import textwrap

import torch
from torch import nn

torch.sparse.check_sparse_tensor_invariants.enable()
embedding = nn.Embedding(100_000, 16, sparse=True)
embedding(torch.tensor([1, 2, 1])).sum().backward()
weight, gradient = embedding.weight, embedding.weight.grad
print(f"weight    {weight.layout}, {weight.nbytes:,} bytes")
print(f"gradient  {gradient.layout}, {gradient._values().nbytes:,} bytes of values")
try:
    torch.optim.AdamW(embedding.parameters()).step()
except RuntimeError as error:
    print(textwrap.fill(f"AdamW     RuntimeError: {error}", width=84))
torch.optim.SparseAdam(embedding.parameters()).step()
print("SparseAdam steps")
