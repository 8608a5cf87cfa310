import torch


def new_optimizer():
    return torch.optim.AdamW([torch.nn.Parameter(torch.ones(1))], lr=1.0)


def new_scheduler(optimizer):
    return torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9)


def five_rates(optimizer, scheduler):
    for _ in range(5):
        yield round(optimizer.param_groups[0]["lr"], 2)
        optimizer.step(), scheduler.step()


first = new_optimizer()
schedule = new_scheduler(first)
print("first half", *five_rates(first, schedule))

resumed = new_optimizer()
resumed.load_state_dict(first.state_dict())
scheduler = new_scheduler(resumed)  # too late
scheduler.load_state_dict(schedule.state_dict())
print("resumed   ", *five_rates(resumed, scheduler))
