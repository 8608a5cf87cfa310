import io

import torch
import torch.nn.functional as F
from torch import nn


class Standardize(nn.Module):
    """Centers and scales columns, float (N, D) to (N, D).

    ``fit`` measures the statistics, N at least 1; a constant column becomes zeros.
    """

    def __init__(self, features: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("std", torch.ones(features))

    def fit(self, x: torch.Tensor) -> None:
        x = x.detach()  # a buffer must not carry a graph
        shifted = x - x[0]  # exactly zero in a constant column, also in floats
        self.mean = x[0] + shifted.mean(dim=0)
        std = shifted.std(dim=0, correction=0)
        self.std = torch.where(std == 0, 1.0, std)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x - self.mean) / self.std


class PlainStandardize(nn.Module):
    """The same with plain tensors."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.mean, self.std = torch.zeros(features), torch.ones(features)

    fit, forward = Standardize.fit, Standardize.forward


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    return (model(x).argmax(dim=1) == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    scale = torch.tensor([1.0, 10.0, 100.0])
    center = torch.tensor([0.0, 50.0, 300.0])
    z = torch.randn(500, 3)
    x, y = center + scale * z, (z.sum(dim=1) > 0).long()
    for layer in (PlainStandardize, Standardize):
        torch.manual_seed(0)
        model = nn.Sequential(layer(3), nn.Linear(3, 2))
        model[0].fit(x)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(100):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        restored = nn.Sequential(layer(3), nn.Linear(3, 2))
        print(layer.__name__)
        print(f"    accuracy when saved   {accuracy(model, x, y):.3f}")
        print(
            "    load_state_dict()    ", restored.load_state_dict(torch.load(file))
        )
        print(f"    accuracy when loaded  {accuracy(restored, x, y):.3f}")
