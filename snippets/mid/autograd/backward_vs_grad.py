import torch

w, v = (torch.tensor(n, requires_grad=True) for n in (3.0, 2.0))
for call in 1, 2:
    h = w**2
    (g,) = torch.autograd.grad(h * v, w)
    print(f"grad     {call}: returns {g.item()}, w.grad {w.grad}, v.grad {v.grad}")
for call in 1, 2:
    h = w**2
    nothing = (h * v).backward()
    print(f"backward {call}: returns {nothing}, w.grad {w.grad}, v.grad {v.grad}")
