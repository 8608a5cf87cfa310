import torch
from torch import nn


class Classifier(nn.Module):
    """Hidden layers in the given container, then a head: (N, 4) to (N, 2)."""

    def __init__(self, hidden: list | dict | nn.Module) -> None:
        super().__init__()
        self.hidden = hidden
        self.head = nn.Linear(4, 2, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        layers = (
            self.hidden.values() if hasattr(self.hidden, "values") else self.hidden
        )
        for layer in layers:
            x = torch.relu(layer(x))
        return self.head(x)


if __name__ == "__main__":
    outputs = []
    for name, container in {
        "list": list,
        "dict": lambda layers: dict(zip(("first", "second"), layers)),
        "nn.ModuleList": nn.ModuleList,
        "nn.ModuleDict": lambda layers: nn.ModuleDict(
            zip(("first", "second"), layers)
        ),
        "nn.Sequential": lambda layers: nn.Sequential(*layers),
    }.items():
        torch.manual_seed(0)
        model = Classifier(
            container([nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)])
        )
        outputs.append(tuple(model(torch.ones(1, 4)).flatten().tolist()))
        size = sum(parameter.numel() for parameter in model.parameters())
        print(f"{name:14} {size:2} parameters: {', '.join(model.state_dict())}")
    print("models:", len(outputs), " different outputs:", len(set(outputs)))
