import torch
from torch import nn


def tensors(value: object) -> list[torch.Tensor]:
    """The tensors in a value: a tensor, or nested tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, tuple, list)):
        return []
    return [tensor for part in parts for tensor in tensors(part)]


def cuts(model: nn.Module, *inputs, **options) -> list[str]:
    """Modules, in the order of their calls, whose output does not reach the end.

    "inside": a parameter or an input requires grad, and no output does.
    "after": the output requires grad, and no gradient comes back to it from the
    output of the model. The hooks are removed afterwards.

    Raises:
        TypeError: a module returns no tensor, nor tuple, list or dict of tensors.
    """
    calls, handles = [], []

    def hook_for(name):
        def hook(module, args, kwargs, output):
            if not tensors(output):
                raise TypeError(
                    f"{name} returns {type(output).__name__}: no tensor"
                )
            into = [*tensors(args), *tensors(kwargs), *module.parameters()]
            outputs = [t for t in tensors(output) if t.requires_grad]
            if outputs or any(t.requires_grad for t in into):
                calls.append((name, outputs))

        return hook

    try:
        for name, module in model.named_modules():
            hook = hook_for(name or "the model")
            handles.append(module.register_forward_hook(hook, with_kwargs=True))
        with torch.enable_grad():
            ends = tensors(model(*inputs, **options))
    finally:
        for handle in handles:
            handle.remove()
    ends = [end for end in ends if end.requires_grad]
    found = []
    for name, outputs in calls:
        if not outputs:
            found.append(f"{name}: inside")
            continue
        back = [None]
        outputs = [t for t in outputs if t.requires_grad]  # none after detach_()
        if ends and outputs:
            ones = [torch.ones_like(end) for end in ends]
            back = torch.autograd.grad(
                ends, outputs, ones, retain_graph=True, allow_unused=True
            )
        if all(gradient is None for gradient in back):
            found.append(f"{name}: after")
    return found


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x).detach()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(4, 4), Encoder(), nn.Linear(4, 1))
    print("model:    ", cuts(model, torch.randn(2, 4)))
    print("model[:2]:", cuts(model[:2], torch.randn(2, 4)))
    try:
        model[:2](torch.randn(2, 4)).sum().backward()
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
