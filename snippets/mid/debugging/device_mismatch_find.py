from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_leaves


class NameDevices(TorchFunctionMode):
    """Within it, an error of a torch function gets a note: function and tensors."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        try:
            return func(*args, **(kwargs or {}))
        except RuntimeError as error:
            given = tree_leaves((args, kwargs))
            tensors = [t for t in given if isinstance(t, torch.Tensor)]
            where = ", ".join(f"{tuple(t.shape)} {t.device}" for t in tensors)
            error.add_note(f"{resolve_name(func)}: {where}")
            raise


def strays(
    module: nn.Module, device: torch.device | str, prefix: str = ""
) -> Iterator[str]:
    """Names of a module's tensors that are not on a device of this type.

    It finds parameters, buffers, plain attributes, and what is in plain lists,
    tuples and dicts, also modules in them. No module may refer back to its parent.
    """

    kind = torch.device(device).type

    def search(name: str, value: object) -> Iterator[str]:
        if isinstance(value, torch.Tensor) and value.device.type != kind:
            yield name
        elif isinstance(value, nn.Module):
            yield from strays(value, device, name + ".")
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                yield from search(f"{name}[{i}]", item)
        elif isinstance(value, dict):
            for key, item in value.items():
                yield from search(f"{name}[{key!r}]", item)

    registered = ("_parameters", "_buffers", "_modules")
    for name, value in vars(module).items():
        entries = value.items() if name in registered else [(name, value)]
        for key, entry in entries:
            yield from search(prefix + key, entry)


class Net(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug, self.body, self.head = bug, nn.Linear(4, 3), nn.Linear(3, 3)
        if bug == "plain attribute":
            self.scale = torch.ones(3)
        if bug == "plain list":
            self.extra = [nn.Linear(3, 3)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.body(x)
        if self.bug == "plain attribute":
            x = x * self.scale
        if self.bug == "plain list":
            x = self.extra[0](x)
        if self.bug == "new in forward":
            x = x + torch.linspace(0, 1, 3)
        return self.head(x)


def diagnose(bug: str, device: str = "meta") -> tuple[str, str]:
    """The note of the error, and the stray tensors of the model."""
    model = Net(bug).to(device)
    x, y = torch.ones(5, 4), torch.zeros(5, dtype=torch.int64).to(device)
    if bug != "batch not moved":
        x = x.to(device)
    weight = torch.ones(3) if bug == "loss weight" else None
    try:
        with NameDevices():
            F.cross_entropy(model(x), y, weight=weight)
    except RuntimeError as error:
        return error.__notes__[0], ", ".join(strays(model, device)) or "none"
    return "no error", "none"


if __name__ == "__main__":
    for bug in (
        "plain attribute",
        "plain list",
        "new in forward",
        "batch not moved",
        "loss weight",
    ):
        note, found = diagnose(bug)
        print(f"{bug:17}{note}\n{'':17}strays in the model: {found}")
