import torch
from torch import nn
from torch.nn import functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    x = torch.randn(8, 16, device=device)
    y = torch.zeros(8, dtype=torch.long, device=device)
    optimizer.zero_grad()
    with torch.autocast(device, dtype=torch.bfloat16):
        output = model(x)
        loss = F.cross_entropy(output, y)
    loss.backward()
    optimizer.step()
weight = model[0].weight
print("output", output.dtype, "| loss", loss.dtype)
print("weight", weight.dtype, "| .grad", weight.grad.dtype)
print("Adam's state", optimizer.state[weight]["exp_avg"].dtype)
