import copy

import torch


class Heavy(torch.optim.Optimizer):
    """SGD with momentum that keeps its buffers in ``self.state``."""

    def __init__(self, params: list[torch.Tensor], lr: float = 0.1) -> None:
        super().__init__(params, {"lr": lr})

    def buffer(self, p: torch.Tensor) -> torch.Tensor:
        return self.state[p].setdefault("v", torch.zeros_like(p))

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                v = self.buffer(p).mul_(0.9).add_(p.grad)
                p -= group["lr"] * v


class HeavyBroken(Heavy):
    """The same, with its buffers in an attribute of its own."""

    def __init__(self, params: list[torch.Tensor], lr: float = 0.1) -> None:
        super().__init__(params, lr)
        self.buffers: dict[torch.Tensor, torch.Tensor] = {}

    def buffer(self, p: torch.Tensor) -> torch.Tensor:
        return self.buffers.setdefault(p, torch.zeros_like(p))


def final_weight(build: type[Heavy], resume_at: int | None) -> float:
    """The weight after 12 steps on w**2 / 2, with or without a resume."""
    w = torch.ones(1, requires_grad=True)
    optimizer = build([w])
    for step in range(12):
        if step == resume_at:
            saved = copy.deepcopy(optimizer.state_dict())
            optimizer = build([w])
            optimizer.load_state_dict(saved)
        w.grad = w.detach().clone()
        optimizer.step()
    return w.item()


if __name__ == "__main__":
    for build in (Heavy, HeavyBroken):
        straight, resumed = final_weight(build, None), final_weight(build, 5)
        print(
            f"{build.__name__:12} straight {straight:7.4f}  resumed {resumed:7.4f}"
        )
