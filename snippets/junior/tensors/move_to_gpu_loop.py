import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
batches = [(x, x.sum(dim=1, keepdim=True)) for x in torch.randn(20, 64, 3)]

gpu = torch.accelerator.current_accelerator(check_available=True)
device = gpu or torch.device("cpu")
model = nn.Linear(3, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in batches:
    x, y = x.to(device), y.to(device)
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"last loss {loss:.4f}")
