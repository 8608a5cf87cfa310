import torch
from torch import nn
from torch.nn.functional import softplus

torch.manual_seed(0)
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer = torch.optim.Adam(G.parameters(), lr=0.1)
before = G.weight.detach().clone()
for _ in range(20):
    fake = G(torch.randn(16, 2)).detach()  # only the discriminator needs this
    optimizer.zero_grad()
    softplus(-D(fake)).mean().backward()
    optimizer.step()
print("generator's gradient:", G.weight.grad)
print("generator moved:     ", not torch.equal(before, G.weight))
