import torch

print("loss 50 * w**2, so the curvature L is 100 and 2 / L is 0.02")
for lr in (0.0001, 0.01, 0.019, 0.02, 0.021):
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=lr)
    for _ in range(50):
        optimizer.zero_grad()
        (50 * w**2).sum().backward()
        optimizer.step()
    print(f"lr {lr:<7g} w after 50 steps: {w.item():8.3f}")
