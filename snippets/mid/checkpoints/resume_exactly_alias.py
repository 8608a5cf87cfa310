import copy

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([weight], lr=0.1)


def step(parameter: torch.nn.Parameter, optimizer: torch.optim.Optimizer) -> None:
    parameter.grad = torch.ones(1)
    optimizer.step()


step(weight, optimizer)
live = optimizer.state_dict()
copied = copy.deepcopy(live)
print(
    f"checkpoint in memory:           exp_avg {copied['state'][0]['exp_avg'].item():.2f}"
)

step(weight, optimizer)
print(
    f"run goes on, state_dict():      exp_avg {live['state'][0]['exp_avg'].item():.2f}"
)
print(
    f"run goes on, deepcopy of it:    exp_avg {copied['state'][0]['exp_avg'].item():.2f}"
)

for name, checkpoint in (
    ("deepcopy of the copy loaded:", copy.deepcopy(copied)),
    ("the copy itself loaded:", copied),
):
    other = torch.nn.Parameter(torch.ones(1))
    resumed = torch.optim.Adam([other], lr=0.1)
    resumed.load_state_dict(checkpoint)
    step(other, resumed)
    print(f"{name:31} exp_avg {copied['state'][0]['exp_avg'].item():.2f}")
