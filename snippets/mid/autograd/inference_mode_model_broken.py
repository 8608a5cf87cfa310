import textwrap

import torch
from torch import nn

x, y = torch.ones(32, 3), torch.zeros(32, 1)
for mode in (torch.no_grad, torch.inference_mode):
    with mode():
        model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    nn.functional.mse_loss(model(x), y).backward()
    print(f"made under {mode.__name__}():")
    for name, parameter in model.named_parameters():
        has = parameter.grad is not None
        print(f"  {name:6} requires_grad {parameter.requires_grad}  gradient {has}")
    try:
        optimizer.step()
        print("  step() runs")
    except RuntimeError as error:
        print(textwrap.fill(f"RuntimeError: {error}", width=80))
