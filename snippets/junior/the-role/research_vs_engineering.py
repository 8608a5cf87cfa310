# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
from sklearn.datasets import load_digits
from torch import nn

images, y = map(torch.tensor, load_digits(return_X_y=True))
x, rows = images.float() / 16, torch.arange(len(y))
for seed in range(5):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for batch in rows[::9][torch.randint(200, (100, 32))]:  # 200 digits train
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
        optimizer.step()
    right = (model(x).argmax(dim=1) == y)[rows % 9 > 0]
    print(f"seed {seed}: {right.float().mean():.0%} of the other digits right")
