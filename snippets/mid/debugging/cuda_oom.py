import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
weights, kept = list(model.parameters()), {}
optimizer = torch.optim.Adam(weights)
hooks = (lambda t: kept.setdefault(t.data_ptr(), t)), (lambda t: t)
for batch in (16, 256, 4096):
    kept.clear()
    with torch.autograd.graph.saved_tensors_hooks(*hooks):
        model(torch.randn(batch, 64)).square().mean().backward()
    optimizer.step()
    saved = [kept[each] for each in kept.keys() - {w.data_ptr() for w in weights}]
    states = [v for state in optimizer.state.values() for v in state.values()]
    parts = weights, [w.grad for w in weights], states, saved
    print(f"batch {batch:4}:", *(f"{sum(t.nbytes for t in p):10,}" for p in parts))
