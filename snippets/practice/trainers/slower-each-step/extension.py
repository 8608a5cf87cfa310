import runpy
from pathlib import Path

import torch
import torch.nn.functional as F

script = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
STEPS, WINDOW, WIDTH, RATE = (
    script[name] for name in ("STEPS", "WINDOW", "WIDTH", "RATE")
)


def train(windows: int, seed: int = 0) -> dict[str, list]:
    """Backpropagate each loss through its own window and those before it.

    windows: through how many in all; the earlier ones are computed again.
    """
    torch.manual_seed(seed)
    model, stream = script["Network"](), script["signal"](STEPS * WINDOW + 1)
    inputs, targets = stream[:-1].view(-1, WINDOW), stream[1:].view(-1, WINDOW)
    starts = [torch.zeros(WIDTH)]  # the state before each window, without a graph
    losses, reached = [], []
    for step in range(STEPS):
        first = max(0, step + 1 - windows)
        read = inputs[: step + 1].clone().requires_grad_()
        state = starts[first]
        for window in range(first, step + 1):
            output, state = model(read[window], state)
            if window < step:
                starts[window + 1] = state.detach()
        loss = F.mse_loss(output, targets[step])
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= RATE * p.grad
        starts.append(state.detach())
        losses.append(loss.item())
        reached.append(int(read.grad.any(dim=1).sum()))
    return {"losses": losses, "reached": reached}


if __name__ == "__main__":
    same = train(1)["losses"] == script["train"](0)["losses"]
    print(f"with one window the losses are those of fixed.py: {same}")
    for windows in (1, 2, 3):
        reached = train(windows)["reached"]
        print(f"windows reached at step 1, 2, 3, 60: {reached[:3] + reached[-1:]}")
