from collections import OrderedDict

import torch
from torch import nn


class MLP(nn.Module):
    """One hidden layer: float (N, 4) to (N, 2)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x).relu())


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(5, 4)
    model = MLP()
    weights = model.state_dict()
    print(f"{'class MLP':18} {list(weights)}")
    plain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    layers = OrderedDict(
        body=nn.Linear(4, 8), activation=nn.ReLU(), head=nn.Linear(8, 2)
    )
    chains = {"Sequential": plain, "Sequential, named": nn.Sequential(layers)}
    for name, chain in chains.items():
        print(f"{name:18} {list(chain.state_dict())}")
        try:
            print("  load MLP's weights:  ", chain.load_state_dict(weights))
        except RuntimeError as error:
            missing = str(error).splitlines()[1].split(",")[0].strip()
            print("  load MLP's weights:   RuntimeError:", missing, "...")
            by_position = zip(chain.state_dict(), weights.values(), strict=True)
            chain.load_state_dict(dict(by_position))
            print("  load them by position")
        print("  same output as MLP:  ", torch.equal(chain(x), model(x)))
