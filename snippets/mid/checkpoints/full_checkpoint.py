import torch


def new():
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.ones(1))], lr=1.0)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=9)
    return {"optimizer": optimizer, "scheduler": warmup}


def rates(run):
    for _ in range(5):
        yield round(run["optimizer"].param_groups[0]["lr"], 2)
        run["optimizer"].step(), run["scheduler"].step()


print("first half     lr", *rates(first := new()))
for lost in ("nothing", "optimizer", "scheduler"):
    run = new()
    for name in first.keys() - {lost}:
        run[name].load_state_dict(first[name].state_dict())
    print(f"lost {lost:9} lr", *rates(run))
