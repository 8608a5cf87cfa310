# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.skip = nn.Sequential()
        if stride != 1 or inputs != outputs:
            project = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.skip = nn.Sequential(project, nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + self.skip(x)).relu()


def accuracy(seed: int, steps: int = 60) -> float:
    """Percent correct on 797 held-out digits, trained on the other 1,000."""
    torch.manual_seed(seed)
    data = load_digits(return_X_y=True)
    x, y = (
        torch.tensor(data[0]).float().view(-1, 1, 8, 8) / 16,
        torch.tensor(data[1]),
    )
    order = torch.randperm(len(x))
    train, test = order[:1000], order[1000:]
    body = BasicBlock(1, 8), BasicBlock(8, 16, stride=2), BasicBlock(16, 16)
    model = nn.Sequential(*body, nn.AvgPool2d(2), nn.Flatten(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        batch = train[torch.randint(1000, (64,))]
        optimizer.zero_grad()
        F.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return (model(x[test]).argmax(1) == y[test]).double().mean().item() * 100


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("after 0 steps below 30%:", accuracy(0, steps=0) < 30)
    print("after 60 steps above 90%:", accuracy(0) > 90)
