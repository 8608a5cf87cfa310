import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
x, gradients = torch.randn(256, 64), []


class Kept:
    """Stands for a saved tensor, and counts its bytes while the graph has it."""

    weights = {each.data_ptr() for each in model.parameters()}

    alive = peak = 0

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()
        self.size = 0 if tensor.data_ptr() in Kept.weights else tensor.nbytes
        Kept.alive += self.size
        Kept.peak = max(Kept.peak, Kept.alive)

    def __del__(self) -> None:
        Kept.alive -= self.size


for name in ("whole batch", "losses summed", "backward per piece"):
    model.zero_grad()
    Kept.peak, total = 0, 0.0
    pieces = x.chunk(1 if name == "whole batch" else 4)
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        for piece in pieces:
            loss = model(piece).square().mean() / len(pieces)
            if name == "backward per piece":
                loss.backward()
            else:
                total = total + loss
    if name != "backward per piece":
        total.backward()
    del loss, total
    gradients.append(model[0].weight.grad)
    same = torch.allclose(gradients[-1], gradients[0], rtol=1e-3, atol=1e-6)
    print(f"{name:20}{Kept.peak:8,} bytes saved, same gradient: {same}")
