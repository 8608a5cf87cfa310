import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(1000, 20)
y = (x[:, :3].sum(dim=1) > 0).long()
batches = DataLoader(TensorDataset(x[:800], y[:800]), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(), nn.Linear(64, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for epoch in (1, 2, 3):
    model.train()
    for xs, ys in batches:
        loss = nn.functional.cross_entropy(model(xs), ys)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        right = model(x[800:]).argmax(dim=1) == y[800:]
    print(f"epoch {epoch}: held-out accuracy {right.float().mean():.1f}")
