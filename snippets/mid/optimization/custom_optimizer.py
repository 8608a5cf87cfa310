import torch


class SignSGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, defaults={"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p -= group["lr"] * p.grad.sign()


body, head = (torch.ones(2, requires_grad=True) for _ in range(2))
optimizer = SignSGD([{"params": [body], "lr": 0.01}, {"params": [head]}])
(body * head * torch.tensor([500.0, -0.002])).sum().backward()
optimizer.step()
for name, w in (("body", body), ("head", head)):
    print(name, [round(value, 2) for value in w.tolist()])
