import torch
from torch import nn
from torch.optim import SGD, Adagrad, Adam, AdamW, Muon, RMSprop

x = torch.randn(4, 5)
for build in (SGD, Adam, AdamW, RMSprop, Adagrad, Muon):
    layer = nn.LazyLinear(3, bias=False)
    try:
        optimizer = build(layer.parameters(), lr=0.1)
    except ValueError:
        print(f"{build.__name__:8} raises at construction")
        continue
    before = layer.weight
    layer(x).square().mean().backward()  # the first forward gives the shape
    start = layer.weight.detach().clone()
    optimizer.step()
    moved = (layer.weight != start).all().item()
    print(
        f"{build.__name__:8} moves: {moved}, same object: {before is layer.weight}"
    )
