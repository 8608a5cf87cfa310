import torch
from torch import nn


class FourKinds(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.plain = torch.zeros(2)
        self.parameter = nn.Parameter(torch.zeros(2))
        self.register_buffer("buffer", torch.zeros(2))
        self.register_buffer("temporary", torch.zeros(2), persistent=False)


model = FourKinds().double()
print("parameters()   ", [name for name, _ in model.named_parameters()])
print("state_dict()   ", list(model.state_dict()))
for name in ("plain", "parameter", "buffer", "temporary"):
    print(f"{name:15} {getattr(model, name).dtype}")
