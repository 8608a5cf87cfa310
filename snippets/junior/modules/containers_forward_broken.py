import torch
from torch import nn

x = torch.ones(1, 2)
layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
calls = {
    "ModuleList(layers)(x)": lambda: nn.ModuleList(layers)(x),
    "Sequential(layers)": lambda: nn.Sequential(layers),
    "Sequential(*layers)([x, x])": lambda: nn.Sequential(*layers)([x, x]),
    "Sequential(*layers)(x, x)": lambda: nn.Sequential(*layers)(x, x),
    "Sequential(LSTM, Linear)(x)": lambda: nn.Sequential(
        nn.LSTM(2, 2), nn.Linear(2, 2)
    )(x),
    "Sequential(*layers)(x)": lambda: nn.Sequential(*layers)(x),
}
for name, call in calls.items():
    try:
        print(f"{name}\n shape {tuple(call().shape)}")
    except (NotImplementedError, TypeError) as error:
        print(f"{name}\n {type(error).__name__}: {error}")
