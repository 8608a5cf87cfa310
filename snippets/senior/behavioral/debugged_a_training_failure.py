# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import math
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

ITEMS = torch.arange(512)  # the item of each record; item % 8 is its class
ITEMS[300] = 100  # one item has two records
LOSS, GRADIENT = 1, 2  # columns of the log


def by_hand(z: Tensor) -> Tensor:
    """Distance of each pair of rows, (n * (n - 1) / 2,)."""
    i, j = torch.triu_indices(len(z), len(z), 1)
    return (z[i] - z[j]).square().sum(1).sqrt()


def contrastive(distance: Tensor, y: Tensor) -> Tensor:
    """Pull rows of one class together, push others at least 1 apart."""
    i, j = torch.triu_indices(len(y), len(y), 1)
    apart = F.relu(1 - distance)
    return torch.where(y[i] == y[j], distance.square(), apart.square()).mean()


class Job:
    """A training job that can be stopped in front of each step."""

    def __init__(
        self,
        seed: int,
        lr: float = 1e-1,
        batch: int = 64,
        distances: Callable[[Tensor], Tensor] = by_hand,
    ) -> None:
        torch.manual_seed(seed)
        self.model = nn.Embedding(512, 8)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.generator = torch.Generator().manual_seed(seed)
        self.batch, self.distances, self.waiting = batch, distances, []

    def rows(self) -> list[int]:
        """The rows of the next batch."""
        if not self.waiting:
            order = torch.randperm(512, generator=self.generator)
            self.waiting = order.view(-1, self.batch).tolist()
        return self.waiting.pop(0)

    def backward(self, rows: list[int]) -> tuple[float, float]:
        """Loss and norm of its gradient."""
        self.optimizer.zero_grad()
        items = ITEMS[rows]
        loss = contrastive(self.distances(self.model(items)), items % 8)
        loss.backward()
        return loss.item(), self.model.weight.grad.norm().item()

    def run(self, steps: int) -> list[tuple[list[int], float, float]]:
        """Rows, loss and norm of each step, up to the first loss that is NaN."""
        log = []
        while len(log) < steps and not (log and math.isnan(log[-1][1])):
            rows = self.rows()
            log.append((rows, *self.backward(rows)))
            self.optimizer.step()
        return log


def needed(rows: list[int], fails: Callable[[list[int]], bool]) -> list[int]:
    """Leave out each row in turn, for good if the rest still fails."""
    for row in tuple(rows):
        rest = [other for other in rows if other != row]
        if fails(rest):
            rows = rest
    return rows


def first_nan(log: list[tuple], column: int) -> int:
    """The first step, from 1 on."""
    return next(i for i, step in enumerate(log, 1) if math.isnan(step[column]))


if __name__ == "__main__":
    print("first step with a nan       in the gradient   in the loss")
    for batch, lr, seed in (
        (64, 0.1, 0),
        (64, 1e-5, 0),
        (64, 0.1, 1),
        (32, 0.1, 0),
    ):
        log = Job(seed, lr, batch).run(1000)
        print(f"batch {batch}, rate {lr:<5}, seed {seed}", end="")
        print(f"{first_nan(log, GRADIENT):16}{first_nan(log, LOSS):14}")

    log = Job(seed=0).run(1000)
    guilty = first_nan(log, GRADIENT)
    rows, job = log[guilty - 1][0], Job(seed=0)
    job.run(guilty - 1)  # the healthy steps, once more

    def fails(rows: list[int]) -> bool:
        return not math.isfinite(job.backward(rows)[1])

    print(f"\nstep {guilty}, once more")
    for name, part in (("64 rows", rows), ("half", rows[:32]), ("half", rows[32:])):
        print(f"{name}: {'nan' if fails(part) else 'finite'}", end=", ")
    pair = needed(rows, fails)
    print(f"needed: {pair}")
    print("distance:", job.distances(job.model(ITEMS[pair])).item(), end=", ")
    try:
        with torch.autograd.set_detect_anomaly(True):
            job.backward(pair)
    except RuntimeError as error:
        print("anomaly mode:", str(error).split("'")[1])
    job.distances = F.pdist
    print("with F.pdist:", "nan" if fails(rows) else "finite")

    fixed = Job(seed=0, distances=F.pdist).run(60)
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    axes.plot(range(1, 61), [loss for _, loss, _ in fixed], label="with F.pdist")
    losses = [loss for _, loss, _ in log]
    axes.plot(range(1, len(log) + 1), losses, "--", label="by hand")
    axes.plot(
        guilty, losses[guilty - 1], "x", ms=11, mew=2, label="gradient is nan"
    )
    axes.set(xlabel="step", ylabel="loss", ylim=0)
    axes.legend()
    plt.show()
