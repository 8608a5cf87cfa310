import torch
import torch.nn.functional as F
from torch import nn


def make_model() -> nn.Module:
    return nn.Sequential(
        nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)
    )


def accuracy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> float:
    """Share of right predictions in eval mode; x float32 (N, 4), y int64 (N,)."""
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(dim=1) == y).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    y = torch.arange(3).repeat(200)
    x = 20 + 5 * (torch.eye(3, 4)[y] + 0.3 * torch.randn(600, 4))
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

    by_parameters, by_state_dict = make_model(), make_model()
    with torch.no_grad():
        for target, source in zip(by_parameters.parameters(), model.parameters()):
            target.copy_(source)
    by_state_dict.load_state_dict(model.state_dict())
    same = all(
        torch.equal(a, b)
        for a, b in zip(by_parameters.parameters(), model.parameters())
    )
    print(f"trained model              {accuracy(model, x, y):.0%}")
    print(f"copied with state_dict()   {accuracy(by_state_dict, x, y):.0%}")
    print(f"copied with parameters()   {accuracy(by_parameters, x, y):.0%}")
    print(f"all parameters equal: {same}")
