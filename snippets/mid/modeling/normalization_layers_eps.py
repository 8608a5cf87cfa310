import torch
from torch import nn

x = torch.tensor([3.0, -4.0, 0.0, 5.0, 0.0, 5.0, -4.0, 3.0])
for size in 1.0, 1e-3:
    rms = x.square().mean().sqrt() * size
    print(f"input of root mean square {rms:.4f}")
    for eps in None, 1e-5:
        y = nn.RMSNorm(8, eps=eps)(x * size)
        print(f"  eps={str(eps):5}  output {y.square().mean().sqrt():.2f}")
