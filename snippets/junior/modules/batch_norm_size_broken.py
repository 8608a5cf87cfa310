import torch
from torch import nn

layer = nn.BatchNorm1d(1)
for batch in ([0.0, 1000.0], [50.0, 50.1], [50.0, 50.001], [3.0, 3.0], [7.0]):
    x = torch.tensor(batch).unsqueeze(1)
    try:
        output = layer(x).flatten().tolist()
        print(f"{batch} becomes", [round(value, 1) for value in output])
    except ValueError as error:
        print(f"{batch}\n    ValueError: {str(error).split(',')[0]}")
