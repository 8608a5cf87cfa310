import torch
from torch import nn

torch.manual_seed(0)
for name in ("apart", "tied"):
    embed, head = nn.Embedding(100, 16), nn.Linear(16, 100, bias=False)
    if name == "tied":
        head.weight = embed.weight  # both are (100, 16): no transpose
    model = nn.Sequential(embed, nn.Tanh(), head)
    count = sum(p.numel() for p in model.parameters())
    tensors = torch.optim.AdamW(model.parameters()).param_groups[0]["params"]
    print(f"{name:5} {count} parameters, {len(tensors)} in the optimizer,", end=" ")
    print(f"state dict: {list(model.state_dict())}")
