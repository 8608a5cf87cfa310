import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    """Hidden layers in ``container`` and a head: input (N, 2), two classes."""

    def __init__(self, container: type) -> None:
        super().__init__()
        self.hidden = container([nn.Linear(2, 8), nn.Linear(8, 8)])
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)


def train(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int
) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    return (model(x).argmax(dim=1) == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(500, 2)
    y = (x.norm(dim=1) > 1.2).long()  # inside or outside of a circle
    for container in (list, nn.ModuleList):
        torch.manual_seed(1)
        model = Classifier(container)
        before = model.hidden[0].weight.detach().clone()
        losses = train(model, x, y, steps=300)
        restored = Classifier(container)
        message = restored.load_state_dict(model.state_dict())
        print(container.__name__)
        print(
            "  loss after 1, 100, 200, 300 steps:",
            *(f"{losses[step]:.2f}" for step in (0, 99, 199, 299)),
        )
        print(f"  accuracy                  {accuracy(model, x, y):.2f}")
        moved = not torch.equal(before, model.hidden[0].weight)
        print(f"  first layer moved         {moved}")
        print(
            f"  norm of its gradient      {model.hidden[0].weight.grad.norm():.0f}"
        )
        print(f"  load_state_dict()         {message}")
        print(f"  accuracy after loading    {accuracy(restored, x, y):.2f}")

    try:
        torch.optim.Adam(nn.Module().parameters())
    except ValueError as error:
        print(f"no head, all in a list: ValueError: {error}")
