import torch
import torch.nn.functional as F

ways = {
    "root": lambda z: z.diff(dim=0).square().sum().sqrt(),
    "root, then clamp": lambda z: (
        z.diff(dim=0).square().sum().sqrt().clamp(min=1e-6)
    ),
    "1e-12 inside the root": lambda z: (
        z.diff(dim=0).square().sum() + 1e-12
    ).sqrt(),
    "F.pdist": F.pdist,
}
for name, distance in ways.items():
    finite = []
    for margin in (0, 1):  # the two rows are of one class, or of two
        z = torch.ones(2, 3, requires_grad=True)  # one record, twice
        (margin - distance(z)).square().sum().backward()
        finite.append(z.grad.isfinite().all().item())
    print(f"{name:22} one class: {finite[0]!s:5}  two classes: {finite[1]}")
