import torch

torch.manual_seed(0)
bias = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)
q, k, v = torch.randn(3, 5, 4, dtype=torch.float64) + bias[:, None]
out = (q @ k.mT).softmax(-1) @ v
out.square().sum().backward()
print([bool(g.abs().max() < 1e-9) for g in bias.grad])
