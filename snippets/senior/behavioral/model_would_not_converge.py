# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import copy
import functools
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

FAULTS = "none", "norm of one number", "optimizer has a copy", "labels shuffled"
FAULTS += "rate 1e-6", "scaled in training only"
Rows = tuple[Tensor, Tensor, Tensor]


class Model(nn.Module):
    """Eight classes from 16 features of a text and one number."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.text = nn.Linear(16, 32)
        self.number = nn.Sequential(norm, nn.Linear(1, 32))
        self.out = nn.Linear(64, 8)

    def forward(self, text: Tensor, number: Tensor) -> Tensor:
        both = torch.cat([self.text(text), self.number(number)], dim=1)
        return self.out(both.relu())


class Job:
    """A training job with one fault or none."""

    def __init__(self, fault: str, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.fault = fault
        self.centers = 1.5 * torch.randn(4, 16)
        norm = nn.LayerNorm(1) if fault == "norm of one number" else nn.Identity()
        self.model = Model(norm)
        trained = copy.deepcopy(self.model) if "copy" in fault else self.model
        lr = 1e-6 if "rate" in fault else 1e-2
        self.optimizer = torch.optim.AdamW(trained.parameters(), lr=lr)
        self.losses: list[float] = []

    def draw(self, n: int) -> Rows:
        """Fresh rows: four topics in the text, and low or high in the number."""
        topic, high = torch.randint(4, (n,)), torch.randint(2, (n,))
        text = 5 * (self.centers[topic] + torch.randn(n, 16))
        number = 2.0 * high[:, None] - 1 + 0.3 * torch.randn(n, 1)
        y = 2 * topic + high
        if self.fault == "labels shuffled":
            y = y[torch.randperm(n)]
        return text, number, y

    def loss(self, rows: Rows, training: bool = True) -> Tensor:
        text, number, y = rows
        if training or self.fault != "scaled in training only":
            text = text / 5
        return F.cross_entropy(self.model(text, number), y)

    def train(self, steps: int, rows: Rows | None = None) -> "Job":
        for _ in range(steps):
            loss = self.loss(rows or self.draw(64))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss.item())
        return self


@functools.cache
def trained(fault: str) -> Job:
    return Job(fault).train(150)


def first_loss(fault: str) -> bool:
    """Near log 8 before the first step."""
    job = Job(fault)
    return abs(job.loss(job.draw(512)).item() - math.log(8)) < 0.5


def weights_change(fault: str) -> bool:
    """Ten steps change every parameter."""
    job = Job(fault)
    before = copy.deepcopy(job.model.state_dict())
    after = job.train(10).model.state_dict()
    return not any(torch.equal(before[name], after[name]) for name in before)


def one_batch(fault: str) -> bool:
    """Sixteen rows can be learned by heart."""
    job = Job(fault)
    rows = job.draw(16)
    return job.train(150, rows).loss(rows).item() < 0.1


def nearest_row(fault: str) -> bool:
    """Without a model: the nearest other row mostly has the same label."""
    text, number, y = Job(fault).draw(512)
    x = torch.cat([text / 5, 5 * number], dim=1)
    nearest = torch.cdist(x, x).fill_diagonal_(math.inf).argmin(dim=1)
    return (y[nearest] == y).float().mean().item() > 0.5


def same_rows(fault: str) -> bool:
    """Training code and evaluation code agree on the same rows."""
    job = trained(fault)
    rows = job.draw(512)
    return abs(job.loss(rows).item() - job.loss(rows, training=False).item()) < 1e-4


def inputs_matter(fault: str) -> bool:
    """The outputs change if one input is shuffled among the rows."""
    job = trained(fault)
    text, number, _ = job.draw(512)
    order = torch.randperm(512)
    outputs = job.model(text / 5, number)
    shuffled = (text[order] / 5, number), (text / 5, number[order])
    changes = [(job.model(*rows) - outputs).abs().max().item() for rows in shuffled]
    return min(changes) > 0.01


CHECKS = (
    first_loss,
    weights_change,
    one_batch,
    nearest_row,
    same_rows,
    inputs_matter,
)

if __name__ == "__main__":
    names = [check.__name__.split("_") for check in CHECKS]
    for first, *words in zip(("", "fault"), ("", "loss"), *names):
        print(f"{first:23}", *(f"{word:>7}" for word in words))
    for fault in FAULTS:
        loss = sum(trained(fault).losses[-50:]) / 50
        marks = ["ok" if check(fault) else "FAILS" for check in CHECKS]
        print(f"{fault:23} {loss:7.1f}", *(f"{mark:>7}" for mark in marks))

    job = trained("norm of one number")
    text, number, y = job.draw(512)
    answers = job.model(text / 5, number).argmax(dim=1)
    topic, both = (
        (answers // 2 == y // 2).float().mean(),
        (answers == y).float().mean(),
    )
    print(f"\nnorm of one number: topic right {topic:.1f}, class right {both:.1f}")

    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    for fault, style in (("norm of one number", "-"), ("none", "--")):
        axes.plot(trained(fault).losses, style, label=fault)
    axes.axhline(math.log(2), color="C2", ls=":", label="ln 2")
    axes.set(xlabel="step", ylabel="training loss", ylim=0)
    axes.legend()
    plt.show()
