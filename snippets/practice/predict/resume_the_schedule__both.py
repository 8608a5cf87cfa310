import torch

w = torch.zeros(1, requires_grad=True)
first, second = torch.optim.SGD([w], lr=1.0), torch.optim.SGD([w], lr=1.0)
before, after = (
    torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    for optimizer in (first, second)
)
first.step()
before.step()
after.load_state_dict(before.state_dict())
second.load_state_dict(first.state_dict())
print(after.get_last_lr(), second.param_groups[0]["lr"])
