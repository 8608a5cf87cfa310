import random

import torch
from torch.utils.checkpoint import checkpoint


def branch(x: torch.Tensor, two: torch.Tensor, three: torch.Tensor) -> torch.Tensor:
    return (two if random.random() < 0.5 else three) * x


def skip(x: torch.Tensor, two: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    return two * x.tanh() if random.random() < 0.5 else x


two, three = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
for block in (branch, skip):
    random.seed(1)  # the first number is below 0.5, the second is not
    x = torch.tensor(1.0, requires_grad=True)
    y = checkpoint(block, x, two, three, use_reentrant=False)
    try:
        y.backward()
        result = f"y = {y.item():.0f}, gradient of x = {x.grad.item():.0f}"
    except Exception as error:
        text = str(error).splitlines()[0].removeprefix("torch.utils.checkpoint: ")
        result = f"{type(error).__name__}: {text}"
    print(f"{block.__name__}: {result}")
