import torch

w = torch.ones(4, requires_grad=True)
y = w * 2
for code in ("", "y.add_(1)", "y.mul_(3)", "y[:2].zero_()"):
    exec(code)
    print(f"{code:13} version {y._version}  {y.grad_fn.name().split(':')[-1]}")
y.sum().backward()
print(w.grad.tolist())
