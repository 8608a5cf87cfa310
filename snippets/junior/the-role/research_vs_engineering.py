# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn"]
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

images, labels = load_digits(return_X_y=True)
x, y = torch.tensor(images / 16).float(), torch.tensor(labels)
training = torch.arange(len(y)) % 9 == 0  # 200 of 1797
for seed in range(5):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for batch in torch.randint(200, (100, 32)):
        loss = F.cross_entropy(model(x[training][batch]), y[training][batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = model(x[~training]).argmax(dim=1) == y[~training]
    print(
        f"seed {seed}: {100 * right.float().mean():.0f}% of the other digits right"
    )
