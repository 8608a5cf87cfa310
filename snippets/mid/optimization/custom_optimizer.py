import torch


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                v = self.state[p].setdefault("v", torch.zeros_like(p))
                v.mul_(group["momentum"]).add_(p.grad)
                p.sub_(group["lr"] * v)


w = torch.ones(1, requires_grad=True)
optimizer = Momentum([{"params": [w], "lr": 0.01}])
for _ in range(3):
    w.grad = torch.ones(1)
    optimizer.step()
    print(round(w.item(), 4))
