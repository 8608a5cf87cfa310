import warnings

import torch
from torch import nn


class Rows(nn.Module):
    def forward(self, x):
        for _ in range(x.shape[0]):
            x = x + 1
        return x


class Sign(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


for model, example, x in (
    (Rows(), torch.zeros(2), torch.zeros(4)),
    (Sign(), torch.ones(2), -torch.ones(2)),
):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        traced = torch.jit.trace(model, example)
    told = any(one.category is torch.jit.TracerWarning for one in caught)
    print(f"model {model(x).tolist()}, traced {traced(x).tolist()}, warned: {told}")
    try:
        print("  exported", torch.export.export(model, (example,)).module()(x))
    except Exception as error:
        print("  exported:", type(error).__name__)
