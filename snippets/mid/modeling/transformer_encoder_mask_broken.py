import textwrap

import torch
from torch.nn.functional import scaled_dot_product_attention as attend

torch.manual_seed(0)
q, k, v = torch.randn(3, 4, 2, 4, 8)  # four sentences, two heads, four tokens
padding = torch.zeros(4, 4, dtype=torch.bool)
padding[1, 3] = True  # only the last token of sentence 1
masks = {
    "~padding[:, None, None, :]": ~padding[:, None, None, :],
    "padding[:, None, None, :]": padding[:, None, None, :],
    "~padding": ~padding,
}
for name, mask in masks.items():
    change = (attend(q, k, v, mask) - attend(q, k, v)).abs().amax(dim=(1, 3))
    print(f"{name:27} changes (sentence, query)", end=" ")
    rows = [tuple(row) for row in (change > 1e-5).nonzero().tolist()]
    print("all 16" if len(rows) == 16 else str(rows)[1:-1])
try:
    attend(q[:3], k[:3], v[:3], ~padding[:3])
except RuntimeError as error:
    print("three sentences of four tokens:")
    print(textwrap.fill(f"RuntimeError: {error}", width=84))
