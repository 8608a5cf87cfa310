import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

graphs, factor = [], 2.0
w = nn.Parameter(torch.ones(1))
z = torch.ones(1, requires_grad=True)
layer = nn.Linear(2, 2)

compiled = torch.compile(torch.square, backend=lambda g, _: graphs.append(g) or g)
assert all(compiled(torch.ones(n)).sum() == n for n in (2, 3, 4, 5))
assert len(graphs) == 2  # the second length made the size dynamic

y = checkpoint(lambda z: factor * z * z, z, use_reentrant=False)
factor = 5.0  # before backward, which runs the function again
y.backward()
assert y == 2 and z.grad == 7  # neither 2 * 2 = 4 nor 2 * 5 = 10

with torch.autocast("cpu", dtype=torch.bfloat16):
    before = layer(torch.ones(1, 2))
    nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)
    assert layer(torch.ones(1, 2)).equal(before)  # the cast weight is cached

scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([w], lr=0.1)
scaler.scale(w * torch.inf).sum().backward()
assert scaler.step(optimizer) is None and w == 1  # skipped, without a word
print("4 of 4 hold")
