import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

attention = nn.MultiheadAttention(256, 4, batch_first=True)
weights = {p.data_ptr() for p in attention.parameters()}
for length in (256, 1024):
    x = torch.randn(1, length, 256, requires_grad=True)
    for options in ({}, {"need_weights": False}):
        kept = []
        with saved_tensors_hooks(kept.append, lambda _: None):
            y, _ = attention(x, x, x, **options)
        storages = {
            s.data_ptr(): s.nbytes() for s in (t.untyped_storage() for t in kept)
        }
        size = sum(storages[key] for key in storages.keys() - weights)
        print(f"{length:4} tokens {options!s:24}{size / x.nbytes:5.1f} x the input")
