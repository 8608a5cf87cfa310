import torch

w = torch.tensor(2.0)
cached = 3 * w
w.requires_grad_()

try:
    cached.backward()
except RuntimeError as error:
    print(f"RuntimeError: {error}")

loss = cached + w
loss.backward()
print(
    f"cached + w, cached before the switch: value {loss.item():.1f}  gradient {w.grad.item():.1f}"
)

w.grad = None
loss = 3 * w + w
loss.backward()
print(
    f"3 * w + w,  all of it after:          value {loss.item():.1f}  gradient {w.grad.item():.1f}"
)
