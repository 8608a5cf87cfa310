import torch
from torch.optim.lr_scheduler import LambdaLR

factor = {"lr_lambda": lambda step: 0.5**step}
first = torch.optim.SGD([torch.ones(1)], lr=1.0)
old = LambdaLR(first, **factor)
for _ in range(3):
    first.step(), old.step()

resumed = torch.optim.SGD([torch.ones(1)], lr=1.0)
resumed.load_state_dict(first.state_dict())
new = LambdaLR(resumed, **factor)
print(resumed.param_groups[0]["lr"], new.get_last_lr())
