import torch
from torch import nn

model, x = nn.Linear(3, 1), torch.ones(4, 3)
model.to("meta")  # stands in for the GPU: every machine has a meta device
x.to("meta")
print("after model.to()  the model is on", model.weight.device)
print("after x.to()      x is on", x.device)

x = x.to("meta")
print("after x = x.to()  x is on", x.device)
print("output", tuple(model(x).shape), "on", model(x).device)
