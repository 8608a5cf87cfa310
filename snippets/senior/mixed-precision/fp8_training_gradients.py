import torch

torch.manual_seed(0)
gradients = torch.randn(100_000) * torch.exp(3 * torch.randn(100_000))
amax = gradients.abs().amax()
for name, dtype in (("E4M3", torch.float8_e4m3fn), ("E5M2", torch.float8_e5m2)):
    scale = amax / torch.finfo(dtype).max
    stored = (gradients / scale).to(dtype).float()
    print(f"{name}: {(stored == 0).float().mean():.0%} are zero")
