import textwrap

import torch
from torch import nn


def tensor_hook(module, args, output):
    output.register_hook(lambda grad: print("gradient", tuple(grad.shape)))


for kind in ("full backward hook", "tensor hook"):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True))
    if kind == "tensor hook":
        model[0].register_forward_hook(tensor_hook)
    else:
        model[0].register_full_backward_hook(lambda *_: None)
    print(f"{kind}:")
    try:
        model(torch.ones(2, 3)).sum().backward()
    except RuntimeError as error:
        print(textwrap.fill(f"RuntimeError: {error}", width=80))
