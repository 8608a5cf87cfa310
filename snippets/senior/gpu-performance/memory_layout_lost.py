import torch
from torch import nn


def layouts(model: nn.Module, x: torch.Tensor) -> dict[str, str]:
    """The memory format of the output of each leaf module of ``model``.

    Runs ``model(x)`` once. Outputs that are no 4-D tensors are left out, and
    a module that runs twice has what its last call returned.
    """
    found: dict[str, str] = {}

    def note(name: str):
        def hook(module, args, out):
            if isinstance(out, torch.Tensor) and out.dim() == 4:
                last = out.is_contiguous(memory_format=torch.channels_last)
                other = "contiguous" if out.is_contiguous() else "neither"
                found[name] = "channels_last" if last else other

        return hook

    handles = [
        module.register_forward_hook(note(name))
        for name, module in model.named_modules()
        if not list(module.children())
    ]
    try:
        with torch.no_grad():
            model(x)
    finally:
        for handle in handles:
            handle.remove()
    return found


class AddPosition(nn.Module):
    def __init__(self, first: bool) -> None:
        super().__init__()
        self.position = nn.Parameter(torch.zeros(1, 8, 6, 6))
        self.first = first

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.position + x if self.first else x + self.position


if __name__ == "__main__":
    for first in (True, False):
        model = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1).to(memory_format=torch.channels_last),
            AddPosition(first),
            nn.GELU(),
            nn.MaxPool2d(2),
        )
        print("position + x" if first else "x + position")
        for name, layout in layouts(model, torch.randn(4, 3, 6, 6)).items():
            print(f"  {type(model[int(name)]).__name__:12}{layout}")
