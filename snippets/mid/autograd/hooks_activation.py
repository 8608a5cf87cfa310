import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 4)
for inplace in (False, True):
    model, kept = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace)).eval(), {}
    model[0].register_forward_hook(
        lambda module, args, output, kept=kept: kept.update(
            detached=output.detach(), cloned=output.detach().clone()
        )
    )
    model(x)
    negative = {name: bool((value < 0).any()) for name, value in kept.items()}
    print(f"ReLU(inplace={inplace}): negative values {negative}")
