import torch

for device in ("cpu", "meta"):
    moved = torch.ones(3, requires_grad=True).to(device)
    created = torch.ones(3, requires_grad=True, device=device)
    print(f"{device:4}  moved: leaf {moved.is_leaf!s:5}", end="   ")
    print(f"created there: leaf {created.is_leaf}")
