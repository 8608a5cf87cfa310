import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
calls = []
for name, module in model.named_modules():
    module.register_forward_hook(
        lambda module, args, output, name=name: calls.append(name or "(the model)")
    )

x = torch.ones(1, 4)
for way in (model, model.forward):
    calls.clear()
    output = way(x).sum().item()
    print(
        "model(x)        " if way is model else "model.forward(x)", f"{output:.4f}"
    )
    print("  hooks ran:", calls)
