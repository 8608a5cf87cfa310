import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
print("mean square after N blocks    N=16     N=64")
for name in ("x + f(x)", "x + f(x) / sqrt(N)", "x + f(norm(x))", "norm(x + f(x))"):
    ends = []
    for n in (16, 64):
        x, scale = torch.randn(32, 128), n**-0.5 if "sqrt" in name else 1
        for _ in range(n):
            h = F.layer_norm(x, (128,)) if "f(norm" in name else x
            x = x + scale * F.relu(h) @ torch.randn(128, 128) / 8  # He
            x = F.layer_norm(x, (128,)) if name.startswith("norm") else x
        ends.append(x.square().mean().item())
    print(f"{name:24} {ends[0]:9.0e} {ends[1]:8.0e}")
