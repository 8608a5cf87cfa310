import textwrap
import warnings

import torch
import torch.nn.functional as F

prediction = torch.tensor(
    [[1.0], [2.0], [3.0]]
)  # (3, 1), as a linear layer returns it
target = torch.tensor(
    [1.0, 2.0, 3.0]
)  # (3,), as a data set returns it: the prediction is perfect

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
print(
    textwrap.fill(f"{caught[0].category.__name__}: {caught[0].message}", width=90)
)
