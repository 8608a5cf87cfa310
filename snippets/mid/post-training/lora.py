import torch

torch.manual_seed(0)
x = torch.randn(64, 16).double()
W = torch.randn(16, 16).double()  # pretrained and frozen
y = x @ (W + torch.randn(16, 2).double() @ torch.randn(2, 16).double()).T
for start in ("B = 0", "A = 0", "both 0"):
    A = torch.randn(2, 16).double() * (start == "B = 0")
    B = torch.randn(16, 2).double() * (start == "A = 0")
    optimizer = torch.optim.Adam([A.requires_grad_(), B.requires_grad_()], lr=0.05)
    losses = []
    for step in range(500):
        loss = (x @ W.T + x @ A.T @ B.T - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            first = [f"{p.grad.norm().item():.1f}" for p in (A, B)]
        optimizer.step()
    print(f"{start:6}  first grad A {first[0]}, B {first[1]}", end="  ")
    print(f"loss {losses[0]:.1f} -> {losses[-1]:.1f}")
