# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.05
# ///
import copy

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

STEPS, STOP = 200, 120
torch.manual_seed(0)
x = torch.randn(64, 8)
y = x.square().sum(1, keepdim=True)


class Run:
    """Regression with dropout; the parts that a checkpoint can hold."""

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        layers = [nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1)]
        self.model = nn.Sequential(*layers).double()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.1)
        self.scheduler = CosineAnnealingLR(self.optimizer, STEPS)

    def train(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x.double()), y.double()).backward()
            self.optimizer.step()
            self.rate = self.optimizer.param_groups[0]["lr"]
            self.scheduler.step()

    @torch.no_grad()
    def loss(self) -> float:
        self.model.eval()
        loss = nn.functional.mse_loss(self.model(x.double()), y.double())
        self.model.train()
        return loss.item()


def compare(kept: tuple[str, ...]) -> tuple[float, float, float, float]:
    """Stop at step ``STOP``, go on in a new run with the parts that were kept.

    Returns:
        The loss right after the load and at the end, the last learning rate, and
        the largest difference of a weight from the run that never stopped.
    """
    whole, first, second = Run(0), Run(0), Run(1)
    torch.manual_seed(2)
    whole.train(STEPS)
    torch.manual_seed(2)
    first.train(STOP)
    random = torch.get_rng_state()
    torch.manual_seed(3)
    for name in kept:
        if name == "random":
            torch.set_rng_state(random)
        else:
            state = copy.deepcopy(getattr(first, name).state_dict())
            getattr(second, name).load_state_dict(state)
    loaded = second.loss()
    second.train(STEPS - STOP)
    pairs = zip(whole.model.parameters(), second.model.parameters())
    away = max((a - b).abs().max().item() for a, b in pairs)
    return loaded, second.loss(), second.rate, away


if __name__ == "__main__":
    parts = ("model", "optimizer", "scheduler", "random")
    print("kept         loss: loaded  end   last lr    weights differ by")
    for count in range(1, 5):
        loaded, end, rate, away = compare(parts[:count])
        name = ("+ " if count > 1 else "") + parts[count - 1]
        print(f"{name:17} {loaded:7.2f} {end:5.2f}  {rate:.6f}  {away:.3f}")
