import weakref

import torch


class Kept:  # stands in the graph for a tensor that backward() needs
    alive = weakref.WeakSet()

    def __init__(self, tensor):
        self.tensor = tensor.detach()
        self.alive.add(self)


weight, x, total = torch.ones(64, 64, requires_grad=True), torch.ones(32, 64), 0
for step in range(6):
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        loss = (x @ weight).square().mean()
    if step < 3:
        loss.backward()
    total += loss
    print("step", step, sum(k.tensor.nbytes for k in Kept.alive), "bytes kept")
