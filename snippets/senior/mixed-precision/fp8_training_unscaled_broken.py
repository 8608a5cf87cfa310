import torch

torch.manual_seed(0)
x = torch.randn(1000) * 1e-4
stored = x.to(torch.float8_e4m3fn)
print(f"without a scale: {(stored.float() == 0).float().mean():.0%} are zero")

scale = x.abs().amax() / 448
stored = (x / scale).to(torch.float8_e4m3fn)
print(f"with amax / 448: {(stored.float() == 0).float().mean():.0%} are zero")
