import torch

x = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0])] * 8).double()
g = torch.Generator().manual_seed(0)
first = torch.randn(8, 3, generator=g, dtype=torch.float64)
last = torch.randn(3, 1, generator=g, dtype=torch.float64)
output = torch.relu(x @ first) @ last


def bits(codes):
    p = torch.unique(codes, dim=0, return_counts=True)[1] / len(codes)
    return (p * (1 / p).log2()).sum()


print("factors of the units   same output   fixed bins   scaled bins   exact")
for factors in ((1, 1, 1), (16, 16, 16), (1 / 16, 1 / 16, 1 / 16), (16, 1, 1 / 16)):
    c = torch.tensor(factors, dtype=torch.float64)
    h = torch.relu(x @ (first * c))
    same = torch.equal(h @ (last / c.unsqueeze(1)), output)
    fixed = h.floor()  # bins of width 1
    scaled = (h / h.max() * 30).floor().clamp(max=29)  # 30 bins for the layer
    name = ", ".join(f"{f:g}" for f in factors)
    found = [f"{bits(codes):12.2f}" for codes in (fixed, scaled, h)]
    print(f"{name:22} {same!s:11}", *found)
