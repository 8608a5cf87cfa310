import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, pass_mode: bool) -> None:
        super().__init__()
        self.body = nn.Linear(2, 64)
        self.head = nn.Linear(64, 2)
        self.pass_mode = pass_mode

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.body(x).relu()
        dropped = (
            F.dropout(hidden, 0.5, self.training)
            if self.pass_mode
            else F.dropout(hidden, 0.5)
        )
        return self.head(dropped)


def train(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int = 100
) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    model.train()
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(1000, 2)
    y = (x[:, 0] * x[:, 1] > 0).long()
    for pass_mode in (True, False):
        torch.manual_seed(1)
        model = Classifier(pass_mode)
        train(model, x[:500], y[:500])
        model.eval()
        with torch.no_grad():
            accuracies = [
                (model(x[500:]).argmax(dim=1) == y[500:]).float().mean()
                for _ in range(3)
            ]
        name = (
            "F.dropout(hidden, 0.5, self.training)"
            if pass_mode
            else "F.dropout(hidden, 0.5)"
        )
        shown = "  ".join(f"{value:.3f}" for value in accuracies)
        print(f"{name:38} accuracy three times: {shown}")
