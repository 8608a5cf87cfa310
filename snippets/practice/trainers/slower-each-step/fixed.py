# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "recorded"
# ///
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

STEPS, WINDOW, WIDTH, RATE = 60, 6, 32, 0.1


class Network(nn.Module):
    """A recurrent network: a window (time,) and a state (WIDTH,) to predictions."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.stay = nn.Linear(1, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, window: torch.Tensor, state: torch.Tensor) -> tuple:
        outputs = []
        for value in window:
            state = torch.tanh(self.enter(value.view(1)) + self.stay(state))
            outputs.append(self.head(state))
        return torch.cat(outputs), state


def signal(length: int) -> torch.Tensor:
    """Two sines of different periods: float32 (length,)."""
    t = torch.arange(length)
    slow, fast = torch.sin(2 * math.pi * t / 25), torch.sin(2 * math.pi * t / 9)
    return 0.6 * slow + 0.4 * fast


def train(seed: int) -> dict[str, list[float]]:
    """Loss and CPU time of each step; a window follows on the one before."""
    torch.manual_seed(seed)
    model, stream = Network(), signal(STEPS * WINDOW + 1)
    state = torch.zeros(WIDTH)
    losses, milliseconds = [], []
    for start in range(0, STEPS * WINDOW, WINDOW):
        began = time.process_time()
        window = stream[start : start + WINDOW]
        target = stream[start + 1 : start + WINDOW + 1]
        output, state = model(window, state.detach())
        loss = F.mse_loss(output, target)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= RATE * p.grad
        losses.append(loss.item())
        milliseconds.append(1000 * (time.process_time() - began))
    return {"losses": losses, "milliseconds": milliseconds}


if __name__ == "__main__":
    run = train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for first in (0, 10, 30, 50):
        loss = statistics.mean(run["losses"][first : first + 10])
        median = statistics.median(run["milliseconds"][first : first + 10])
        print(f"steps {first + 1:2} to {first + 10}: loss {loss:.3f}", end=", ")
        print(f"{median:4.1f} ms a step")
