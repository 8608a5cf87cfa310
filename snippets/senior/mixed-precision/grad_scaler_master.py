import torch
from torch import nn

model = nn.Linear(4, 4)
optimizer = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler("cpu")
addresses = [p.data_ptr() for p in model.parameters()]
with torch.autocast("cpu", dtype=torch.float16):
    output = model(torch.ones(1, 4))
scaler.scale(output.float().mean()).backward()
scaler.step(optimizer)
scaler.update()
print("output            ", output.dtype)
print("weight, gradient  ", model.weight.dtype, model.weight.grad.dtype)
print("optimizer state   ", ", ".join(optimizer.state[model.weight]))
print("parameters moved  ", addresses != [p.data_ptr() for p in model.parameters()])

half = nn.Linear(4, 4).half()
scaler.scale(half(torch.ones(1, 4, dtype=torch.float16)).float().mean()).backward()
try:
    scaler.unscale_(torch.optim.SGD(half.parameters()))
except ValueError as error:
    print("with model.half() ", f"ValueError: {error}")
