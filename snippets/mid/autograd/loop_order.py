from itertools import permutations

import torch
from torch import nn

reference = None
for order in permutations(("zero_grad", "backward", "step")):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    initial = model[0].weight.detach().clone()
    try:
        for x in torch.randn(20, 16, 4):
            loss = (model(x) - x.sum(1, keepdim=True)).square().mean()  # forward
            for call in order:
                loss.backward() if call == "backward" else getattr(
                    optimizer, call
                )()
    except RuntimeError as error:
        result = "raises: " + str(error).split(":")[0][-32:]
    else:
        weight = model[0].weight.detach()
        reference = weight if reference is None else reference
        result = (
            "trains" if torch.equal(weight, reference) else "trains differently"
        )
        result = "not trained" if torch.equal(weight, initial) else result
    print(f"forward, {', '.join(order):27} {result}")
