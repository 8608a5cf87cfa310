import torch

x = torch.tensor(3.0, requires_grad=True)
for retained in False, True:
    h = 2 * x
    if retained:
        h.retain_grad()
    torch.autograd.grad(h**2, x)
    print(f"retain_grad() {retained!s:5}  x.grad {x.grad}", end="  ")
    print("h.grad", h.grad.item() if retained else "not kept")
