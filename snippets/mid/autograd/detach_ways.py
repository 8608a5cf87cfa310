import torch


def properties(cut) -> tuple[bool, bool, str]:
    """Whether cut(y) passes gradients and shares memory; the effect of a write."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w.sigmoid()  # keeps its output for backward
    z = cut(y)
    flows, shares = z.requires_grad, z.data_ptr() == y.data_ptr()
    with torch.no_grad():
        z.zero_()
    try:
        (g,) = torch.autograd.grad(y.sum(), w)
    except RuntimeError:
        return flows, shares, "backward raises"
    s = w.detach().sigmoid()
    right = torch.allclose(g, s * (1 - s))
    return flows, shares, "gradient right" if right else "GRADIENT WRONG"


WAYS = {
    "y.detach()": lambda y: y.detach(),
    "y.data": lambda y: y.data,
    "y.clone()": lambda y: y.clone(),
    "y.detach().clone()": lambda y: y.detach().clone(),
}

if __name__ == "__main__":
    print(f"{'z':20}gradient  same    after a write")
    print(f"{'':20}flows     memory  into z")
    for name, cut in WAYS.items():
        flows, shares, after = properties(cut)
        print(f"{name:20}{flows!s:10}{shares!s:8}{after}")
