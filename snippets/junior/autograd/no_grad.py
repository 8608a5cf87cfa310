import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
x = torch.randn(128, 64)
kept = []
with saved_tensors_hooks(lambda t: kept.append(tuple(t.shape)), lambda _: None):
    output = model(x)
    print(f"recorded   requires_grad={output.requires_grad!s:5}  kept {kept}")
    kept.clear()
    with torch.no_grad():
        output = model(x)
    print(f"no_grad()  requires_grad={output.requires_grad!s:5}  kept {kept}")
