import torch

optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2)
rates = []
for _ in range(5):
    rates.append(round(scheduler.get_last_lr()[0], 4))
    optimizer.step()
    scheduler.step()
print(rates)
