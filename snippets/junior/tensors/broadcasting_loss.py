import textwrap
import warnings

import torch
import torch.nn.functional as F

# (3, 1), as a linear layer returns it
prediction = torch.tensor([[1.0], [2.0], [3.0]])
# (3,), as a data set returns it: the prediction is perfect
target = torch.tensor([1.0, 2.0, 3.0])

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(
        f"F.mse_loss, shapes equal   {F.mse_loss(prediction.squeeze(1), target):.4f}  warnings: {len(caught)}"
    )
    print(
        f"by hand, (3, 1) - (3,)     {((prediction - target) ** 2).mean():.4f}  warnings: {len(caught)}"
    )
    print(
        f"F.mse_loss, (3, 1), (3,)   {F.mse_loss(prediction, target):.4f}  warnings: {len(caught)}"
    )

print(prediction - target)
message = f"{caught[0].category.__name__}: {caught[0].message}"
print(textwrap.fill(message, width=90))
