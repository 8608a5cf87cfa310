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
    print(f"{'class MLP':20} {list(model.state_dict())}")
    plain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    layers = OrderedDict(
        body=nn.Linear(4, 8), activation=nn.ReLU(), head=nn.Linear(8, 2)
    )
    chains = {"Sequential": plain, "Sequential, named": nn.Sequential(layers)}
    for name, chain in chains.items():
        try:
            message = chain.load_state_dict(model.state_dict())
        except RuntimeError as error:
            message = f"RuntimeError: {str(error).splitlines()[1].strip()}"
            chain.load_state_dict(
                dict(zip(chain.state_dict(), model.state_dict().values()))
            )
        print(f"{name:20} {list(chain.state_dict())}")
        print(f"    load MLP's weights  {message}")
        print(
            f"    after copying them, same output: {torch.equal(chain(x), model(x))}"
        )
