import textwrap

import torch

x = torch.ones(2, requires_grad=True)
hidden = x.exp()  # shared by both losses
one, two = hidden.sum(), (3 * hidden).sum()
one.backward()
try:
    two.backward()
except RuntimeError as error:
    print(textwrap.fill(f"RuntimeError: {error}", 80))
