import torch

optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
rates = []
for step in range(4):
    if step == 2:
        optimizer.param_groups[0]["lr"] = 8.0
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    scheduler.step()
print(rates)
