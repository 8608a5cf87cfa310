import torch
from torch import nn


def trace(model: nn.Module, *inputs: torch.Tensor) -> list[tuple]:
    """One (name, type, output shape, all finite) per call of a layer, in order.

    Layers are modules without submodules that return one tensor. The hooks are
    removed afterwards, also if the forward pass raises.
    """
    rows, handles = [], []

    def hook_for(name):
        def hook(module, args, output):
            finite = bool(output.detach().isfinite().all())
            rows.append((name, type(module).__name__, tuple(output.shape), finite))

        return hook

    try:
        for name, module in model.named_modules():
            if not list(module.children()):
                handles.append(module.register_forward_hook(hook_for(name)))
        with torch.no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return rows


class Log(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.log()


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 8), nn.ReLU(), Log(), nn.Linear(8, 2))
    for row in trace(model, torch.randn(32, 20)):
        print("{:3}{:8}{!s:10}finite: {}".format(*row))
