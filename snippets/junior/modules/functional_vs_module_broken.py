import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(2, 64), nn.Linear(64, 2)
        self.p = p

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(F.dropout(self.body(x).relu(), self.p))


torch.manual_seed(0)
x = torch.randn(1000, 2)
y = (x[:, 0] * x[:, 1] > 0).long()
model = Classifier(p=0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(100):
    loss = F.cross_entropy(model(x[:500]), y[:500])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
for p in (0.5, 0.5, 0.5, 0.0):
    model.p = p
    right = model(x[500:]).argmax(dim=1) == y[500:]
    print(f"eval mode, p = {p}: accuracy {right.float().mean():.2f}")
