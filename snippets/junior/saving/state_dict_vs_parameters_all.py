import torch
from torch import nn


class Tagger(nn.Module):
    """A trained, a frozen and a tied weight, batch norm and a cache."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.frozen = nn.Linear(3, 3, bias=False).requires_grad_(False)
        self.norm = nn.BatchNorm1d(3)
        self.output = nn.Linear(3, 5, bias=False)
        self.output.weight = self.embedding.weight  # tied
        self.register_buffer("cache", torch.zeros(2), persistent=False)


def table(model: nn.Module) -> dict[str, tuple[str, bool, bool]]:
    """For each: its kind, in ``parameters()``, in ``state_dict()``."""
    in_parameters = dict(model.named_parameters())
    in_state = model.state_dict()
    rows = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        kind = "parameter" if parameter.requires_grad else "parameter, frozen"
        rows[name] = kind, name in in_parameters, name in in_state
    for name, _ in model.named_buffers(remove_duplicate=False):
        rows[name] = "buffer", False, name in in_state
    return rows


if __name__ == "__main__":
    model = Tagger()
    print(f"{'':24} {'is a':18} parameters()  state_dict()")
    for name, (kind, in_parameters, in_state) in table(model).items():
        marks = "yes" if in_parameters else "-", "yes" if in_state else "-"
        print(f"{name:24} {kind:18} {marks[0]:13} {marks[1]}")
