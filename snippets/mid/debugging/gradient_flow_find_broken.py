import torch
from torch import nn


def first_cut(model: nn.Module, *inputs: torch.Tensor) -> list[str]:
    """Modules that return a tensor without a graph although they could have one.

    A module is named if one of its trained parameters, or a tensor argument that
    requires grad, went in, and a tensor that does not require grad came out.
    Innermost modules come first. The hooks are removed afterwards.
    """
    names, handles = [], []

    def hook_for(name):
        def hook(module, args, output):
            tensors = [a for a in args if isinstance(a, torch.Tensor)]
            graph = any(t.requires_grad for t in (*tensors, *module.parameters()))
            if (
                graph
                and isinstance(output, torch.Tensor)
                and not output.requires_grad
            ):
                names.append(name or "the model")

        return hook

    try:
        for name, module in model.named_modules():
            handles.append(module.register_forward_hook(hook_for(name)))
        with torch.enable_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return names


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x).detach()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(4, 4), Encoder(), nn.Linear(4, 1))
    print("cut in:", first_cut(model, torch.randn(2, 4)))
    try:
        model[:2](torch.randn(2, 4)).sum().backward()
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
