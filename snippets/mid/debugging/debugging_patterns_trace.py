import torch
from torch import nn


def trace(model: nn.Module, *inputs: torch.Tensor) -> list[tuple]:
    """One (name, type, output shape, all finite) per call of a module, inner first.

    A module that returns a tuple has the shape of its first tensor; modules that
    return neither a tensor nor a tuple with one are left out. The hooks are
    removed afterwards, also if the forward pass raises. In train mode batch norm
    keeps NaN in its running statistics, as after any forward pass: trace a copy.
    """
    rows, handles = [], []

    def hook_for(name):
        def hook(module, args, output):
            parts = output if isinstance(output, tuple) else (output,)
            parts = [
                part.detach() for part in parts if isinstance(part, torch.Tensor)
            ]
            if parts:
                finite = all(bool(part.isfinite().all()) for part in parts)
                shape = tuple(parts[0].shape)
                rows.append((name, type(module).__name__, shape, finite))

        return hook

    try:
        for name, module in model.named_modules():
            handles.append(module.register_forward_hook(hook_for(name or "model")))
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
        print("{:7}{:12}{!s:10}finite: {}".format(*row))
