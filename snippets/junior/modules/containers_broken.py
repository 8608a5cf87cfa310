import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, container: type) -> None:
        super().__init__()
        self.hidden = container([nn.Linear(2, 8), nn.Linear(8, 8)])
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)


torch.manual_seed(1)
x = torch.randn(500, 2)
y = (x.norm(dim=1) > 1.2).long()  # inside or outside of a circle
for container in list, nn.ModuleList:
    model, restored = Classifier(container), Classifier(container)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(container.__name__, restored.load_state_dict(model.state_dict()))
    right = [(m(x).argmax(1) == y).float().mean() for m in (model, restored)]
    print(f"  accuracy {right[0]:.2f}, after loading {right[1]:.2f}")
