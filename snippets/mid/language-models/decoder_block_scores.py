import torch
from torch.nn.functional import rms_norm

torch.manual_seed(0)
x = torch.randn(64, 128, dtype=torch.float64)
Wq, Wk = torch.randn(2, 128, 128, dtype=torch.float64) / 128**0.5
for scale in (1, 10, 100):
    q, k = x @ (scale * Wq), x @ (scale * Wk)
    plain = q @ k.T / 128**0.5
    q, k = rms_norm(q, (128,)), rms_norm(k, (128,))
    normed = q @ k.T / 128**0.5
    print(f"weights times {scale:3}: largest score {plain.abs().max():8.0f}, "
          f"with QK-norm {normed.abs().max():.0f}")  # fmt: skip
