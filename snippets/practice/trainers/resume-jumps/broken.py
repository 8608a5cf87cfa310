import io
import sys

import torch
import torch.nn.functional as F
from torch import nn

STEPS, SAVED_AT, WARM_UP, PEAK, BATCH = 300, 240, 5, 0.03, 64


def rate(step: int) -> float:
    """Share of the peak rate: linear warm-up, then a linear decay to 0."""
    return min((step + 1) / WARM_UP, (STEPS - step) / (STEPS - WARM_UP))


class Run:
    """A training that can be saved and taken up again."""

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        self.x = torch.randn(2048, 8)
        teacher = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
        self.y = teacher(self.x).detach() + 0.03 * torch.randn(2048, 1)
        self.model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=PEAK)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, rate)
        self.order = torch.Generator().manual_seed(seed)
        self.step, self.losses, self.rates = 0, [], []

    def train(self, until: int) -> None:
        while self.step < until:
            rows = torch.randint(len(self.x), (BATCH,), generator=self.order)
            loss = F.mse_loss(self.model(self.x[rows]), self.y[rows])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss.item())
            self.rates.append(self.optimizer.param_groups[0]["lr"])
            self.schedule.step()
            self.step += 1

    def save(self, file: io.BytesIO) -> None:
        state = {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "order": self.order.initial_seed(),
        }
        torch.save(state, file)

    def load(self, file: io.BytesIO) -> None:
        state = torch.load(file, weights_only=True)
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.order.manual_seed(state["order"])


def train(seed: int) -> dict[str, Run]:
    """A run of all steps, and one that goes on from its checkpoint."""
    whole, file = Run(seed), io.BytesIO()
    whole.train(until=SAVED_AT)
    whole.save(file)
    whole.train(until=STEPS)
    file.seek(0)
    resumed = Run(seed)
    resumed.load(file)
    resumed.train(until=STEPS)
    return {"whole": whole, "resumed": resumed}


if __name__ == "__main__":
    runs = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print("mean loss of     uninterrupted   resumed")
    for first in (SAVED_AT, SAVED_AT + 20, STEPS - 10):
        a = sum(runs["whole"].losses[first:][:10]) / 10
        b = sum(runs["resumed"].losses[first - SAVED_AT :][:10]) / 10
        print(f"steps {first + 1} to {first + 10}{a:13.4f}{b:10.4f}")
