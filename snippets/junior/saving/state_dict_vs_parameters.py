import torch
from torch import nn

norm = nn.BatchNorm1d(3)
print("parameters:", [name for name, _ in norm.named_parameters()])
print("state dict:", list(norm.state_dict()))

state = norm.state_dict()
with torch.no_grad():
    norm.weight.fill_(7)
print("the weight in the state dict taken before:", state["weight"].tolist())
