import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.5), nn.Linear(16, 2))
x = torch.randn(8, 4)

model.eval()
first, second = model(x), model(x)
print("eval()    requires grad:", first.requires_grad, end="  ")
print("two calls agree:", torch.equal(first, second))

model.train()
with torch.no_grad():
    first, second = model(x), model(x)
print("no_grad() requires grad:", first.requires_grad, end=" ")
print("two calls agree:", torch.equal(first, second))
