import torch


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, defaults={"lr": lr})
        self.buffers = {}  # the mistake: not in self.state

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                v = self.buffers.setdefault(p, torch.zeros_like(p))
                p.sub_(group["lr"] * v.mul_(0.9).add_(p.grad))


for resume_at in (None, 5):
    w = torch.ones(1, requires_grad=True)
    optimizer = Momentum([w])
    for step in range(12):
        if step == resume_at:
            saved, optimizer = optimizer.state_dict(), Momentum([w])
            optimizer.load_state_dict(saved)
        w.grad = w.detach().clone()
        optimizer.step()
    saved = optimizer.state_dict()["state"]
    print(f"resumed at {resume_at}: weight {w.item():.4f}, saved state {saved}")
