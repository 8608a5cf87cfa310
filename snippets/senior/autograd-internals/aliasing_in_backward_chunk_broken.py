import textwrap

import torch

x = torch.ones(4, requires_grad=True)
for name in ("slices", "tensor_split", "chunk", "unbind"):
    h = x * 1
    first, *_ = {
        "slices": lambda h: (h[:2], h[2:]),
        "tensor_split": lambda h: h.tensor_split(2),
        "chunk": lambda h: h.chunk(2),
        "unbind": lambda h: h.view(2, 2).unbind(),
    }[name](h)
    try:
        first.mul_(10)
        (gradient,) = torch.autograd.grad(h.sum(), x)
        print(f"{name}: gradient {gradient.tolist()}")
    except RuntimeError as error:
        start = str(error).split(". ")[:2]
        print(textwrap.fill(f"{name}: {'. '.join(start)}.", 80))
