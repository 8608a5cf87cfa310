import textwrap

import torch
from torch.utils.data import default_collate

batches = {
    "tensors, unequal": [torch.tensor([7, 8]), torch.tensor([4, 5, 6])],
    "lists, unequal": [[7, 8], [4, 5, 6]],
    "lists, equal": [[7, 8, 9], [4, 5, 6]],
    "a key too many": [{"x": 7}, {"x": 4, "weight": 0.5}],
}
for name, samples in batches.items():
    try:
        result = default_collate(samples)
    except RuntimeError as error:
        result = f"RuntimeError: {error}"
    print(f"{name}:")
    print(textwrap.indent(textwrap.fill(str(result), width=80), "    "))
