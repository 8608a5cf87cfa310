import torch

no = torch.tensor(False)
WAYS = {
    "a + w": lambda a, w: a + w,
    "a + 0 * w": lambda a, w: a + 0 * w,
    "where(no, w, a)": lambda a, w: torch.where(no, w, a),
    "stack((a, w))[0]": lambda a, w: torch.stack((a, w))[0],
    "a + w.detach()": lambda a, w: a + w.detach(),
    "w if no else a": lambda a, w: w if no else a + 0,
}

print(f"{'loss':18}w.grad  AdamW moves w")
for name, loss in WAYS.items():
    a, w = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.AdamW([a, w], lr=0.1)
    loss(a, w).backward()
    gradient = None if w.grad is None else w.grad.item()
    optimizer.step()
    print(f"{name:18}{gradient!s:7} {w.item() != 1}")
