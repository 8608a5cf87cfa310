import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.temperature = nn.Parameter(torch.ones(()))
        self.center = torch.zeros(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x - self.center) / self.temperature


model = Classifier().double().eval()
print("parameters()", [name for name, _ in model.named_parameters()])
print("state_dict()", list(model.state_dict()))
print("double()    ", model.body.weight.dtype, model.center.dtype)
print("eval()      ", model.body.training)
