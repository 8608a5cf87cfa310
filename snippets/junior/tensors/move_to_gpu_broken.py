import torch
import torch.nn.functional as F
from torch import nn

for forgotten in ("nothing", "model", "x", "y"):
    model = nn.Linear(3, 1)
    x, y = torch.ones(4, 3), torch.ones(4, 1)
    if forgotten != "model":
        model.to("meta")
    if forgotten != "x":
        x = x.to("meta")
    if forgotten != "y":
        y = y.to("meta")
    try:
        print(f"{forgotten:8} loss on", F.mse_loss(model(x), y).device)
    except RuntimeError as error:
        print(f"{forgotten:8} RuntimeError:", error)
