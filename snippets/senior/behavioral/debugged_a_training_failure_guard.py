import torch
import torch.nn.functional as F


def squared(z: torch.Tensor) -> torch.Tensor:
    i, j = torch.triu_indices(len(z), len(z), 1)
    return (z[i] - z[j]).square().sum(1)


for name, distances in (
    ("squared(z).sqrt()", lambda z: squared(z).sqrt()),
    (
        "squared(z).sqrt().clamp(min=1e-6)",
        lambda z: squared(z).sqrt().clamp(min=1e-6),
    ),
    ("(squared(z) + 1e-12).sqrt()", lambda z: (squared(z) + 1e-12).sqrt()),
    ("F.pdist(z)", F.pdist),
):
    passes = []
    for margin in (0, 1):  # the two rows are of one class, or of two
        z = torch.ones(2, 3, requires_grad=True)  # one record, twice
        (margin - distances(z)).square().sum().backward()
        passes.append(z.grad.isfinite().all().item())
    print(f"{name:34} one class {passes[0]!s:5}  two classes {passes[1]}")
