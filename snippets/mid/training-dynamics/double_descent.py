import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x, new = torch.randn(50, 40, 8), torch.randn(50, 500, 8)
w = torch.ones(8, 1) / 8**0.5
y = x @ w + 0.5 * torch.randn(50, 40, 1)  # 50 training sets of 40 points
print("squared error, median of 50: train    test")
for p in (5, 10, 20, 40, 80, 200, 800):
    v = torch.randn(50, 8, p)
    phi, phi_new = torch.relu(x @ v), torch.relu(new @ v)
    c = torch.linalg.pinv(phi) @ y  # least squares, minimum norm
    train = (phi @ c - y).square().mean(dim=(1, 2)).median()
    test = (phi_new @ c - new @ w).square().mean(dim=(1, 2)).median()
    print(f"{p:4} random features {train:15.2f} {test:7.2f}")
