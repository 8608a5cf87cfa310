from torch import nn

model, twin = nn.Linear(1, 1), nn.Linear(1, 1)
nn.init.constant_(model.weight, 1.0)
best = model.state_dict()
twin.load_state_dict(best)
nn.init.constant_(model.weight, 7.0)
print(best["weight"].item(), twin.weight.item())
