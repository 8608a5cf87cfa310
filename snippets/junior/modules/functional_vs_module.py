import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> None:
        print("self.dropout(x)   ", self.dropout(x).tolist())
        print("nn.Dropout(0.5)(x)", nn.Dropout(0.5)(x).tolist())
        print("F.dropout(x, 0.5) ", F.dropout(x, 0.5).tolist())
        print("... self.training)", F.dropout(x, 0.5, self.training).tolist())


torch.manual_seed(0)
Model().eval()(torch.ones(8))
