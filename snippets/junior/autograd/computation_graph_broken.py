import torch

w = torch.tensor(2.0)
cached = 3 * w
w.requires_grad_()

try:
    cached.backward()
except RuntimeError as error:
    print(f"RuntimeError: {error}")

for name, loss in {"cached + w": cached + w, "3 * w + w": 3 * w + w}.items():
    w.grad = None
    loss.backward()
    print(f"{name:10}  value {loss.item():.1f}  gradient {w.grad.item():.1f}")
