import textwrap
import warnings

import torch
import torch.nn.functional as F

prediction = torch.tensor([[1.0], [2.0], [3.0]])  # (3, 1)
target = torch.tensor([1.0, 2.0, 3.0])  # (3,)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    loss = F.mse_loss(prediction, target)
print(f"loss {loss:.4f}")
print(textwrap.fill(f"{caught[0].category.__name__}: {caught[0].message}", 80))
