import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
v, w = torch.randn(50, 8, 40), torch.ones(8, 1) / 8**0.5  # 40 random features
print("training points   test error   expected part of the label noise")
for n in (10, 20, 40, 80, 160):
    x, new = torch.randn(50, n, 8), torch.randn(50, 500, 8)
    s = torch.relu(new @ v) @ torch.linalg.pinv(torch.relu(x @ v))
    y = x @ w + 0.5 * torch.randn(50, n, 1)
    test = (s @ y - new @ w).square().mean(dim=(1, 2)).median()
    noise = (0.5**2 * s.square().sum(dim=2)).mean(dim=1).median()
    print(f"{n:15} {test:12.1f} {noise:14.1f}")
