import torch
from torch import nn

batch_norm = nn.BatchNorm1d(1)
for batch in ([1.0, 2.0, 3.0, 10.0], [0.0, 1000.0], [50.0, 50.1], [7.0]):
    x = torch.tensor(batch).unsqueeze(1)
    try:
        print(
            f"{batch} becomes",
            [round(value, 2) for value in batch_norm(x).flatten().tolist()],
        )
    except ValueError as error:
        print(f"{batch}\n    ValueError: {error}")
