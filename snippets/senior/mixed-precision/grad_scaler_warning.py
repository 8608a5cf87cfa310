import warnings

import torch
from torch import nn

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    scaler = torch.amp.GradScaler("cpu")
    loss = model(torch.full((1, 1), torch.inf)).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
print(str(caught[0].message).split(". ")[0])
