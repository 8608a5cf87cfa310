import torch


def nearest(x, levels):
    return torch.bucketize(x, (levels[1:] + levels[:-1]) / 2)


p = 1 - (1 / 32 + 1 / 30) / 2  # NF4: normal quantiles, scaled so that the last is 1
above, below = (torch.special.ndtri(torch.linspace(0.5, p, n)) for n in (9, 8))
nf4 = torch.cat([-below[1:].flip(0), above]).double() / above[-1]
int4 = (torch.arange(-7, 8) / 7).double()
torch.manual_seed(0)
for block in 64, 1024:
    old, w = torch.randn(2, 2**16 // block, block, dtype=torch.double)
    scale = w.abs().amax(1, keepdim=True)
    x, fitted = old / old.abs().amax(1, keepdim=True), nf4
    for _ in range(20):  # Lloyd: each level moves to the mean of what it stands for
        code = nearest(x, fitted)
        fitted = torch.stack([x[code == k].mean() for k in range(16)])
    errors = [
        (levels[nearest(w / scale, levels)] * scale - w).square().mean().sqrt()
        for levels in (int4, nf4, fitted)
    ]
    print(f"block {block:4}  INT4, NF4, fitted: ", *(f"{e:6.1%}" for e in errors))
