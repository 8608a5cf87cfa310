import torch
from torch import nn

model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
print("true gradient   scale   gradient for the optimizer")
for true_gradient in (1e-4, 1e-8, 10.0):
    for scale in (1.0, 65536.0):
        scaler = torch.amp.GradScaler("cpu", init_scale=scale)
        with torch.autocast("cpu", dtype=torch.float16):
            output = model(torch.ones(1, 1))
        scaler.scale(true_gradient * output.float().sum()).backward()
        scaler.unscale_(optimizer)
        gradient = model.weight.grad.item()
        print(f"{true_gradient:13.0e}{scale:8.0f}   {gradient:.1e}")
        optimizer.zero_grad()
