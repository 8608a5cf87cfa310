import torch
from torch import nn


class Center(nn.Module):
    def __init__(self, register: bool) -> None:
        super().__init__()
        if register:
            self.register_buffer("mean", torch.zeros(1))
        else:
            self.mean = torch.zeros(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.mean


x = torch.tensor([301.0])
for register in False, True:
    model, restored = Center(register), Center(register)
    model.mean = torch.tensor([300.0])  # as training does
    message = restored.load_state_dict(model.state_dict())
    print("buffer" if register else "plain tensor", message)
    print("  trained:", model(x).item(), " loaded:", restored(x).item())
