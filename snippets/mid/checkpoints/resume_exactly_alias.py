import copy

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.Adam([weight], lr=0.1)


def step(parameter: torch.nn.Parameter, optimizer: torch.optim.Optimizer) -> None:
    parameter.grad = torch.ones(1)
    optimizer.step()


def average(checkpoint: dict) -> str:
    return f"exp_avg {checkpoint['state'][0]['exp_avg'].item():.2f}"


step(weight, optimizer)
live = optimizer.state_dict()
copied = copy.deepcopy(live)
print("checkpoint in memory:          ", average(copied))

step(weight, optimizer)
print("run goes on, state_dict():     ", average(live))
print("run goes on, deepcopy of it:   ", average(copied))

for name, checkpoint in (
    ("deepcopy of the copy loaded:", copy.deepcopy(copied)),
    ("the copy itself loaded:", copied),
):
    other = torch.nn.Parameter(torch.ones(1))
    resumed = torch.optim.Adam([other], lr=0.1)
    resumed.load_state_dict(checkpoint)
    step(other, resumed)
    print(f"{name:31}", average(copied))
