import contextlib

import torch
from torch import nn


def train(whole_loop: bool) -> None:
    """Fit w * 1 to 0 by SGD: the right step is w -= 0.25 * 2 * w, so w halves."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)
    x = torch.ones(1, 1)
    outer = torch.autocast("cpu") if whole_loop else contextlib.nullcontext()
    with outer:
        for step in range(4):
            optimizer.zero_grad()
            with torch.autocast("cpu"):
                loss = model(x).float().square().mean()
            loss.backward()
            optimizer.step()
            print(f"{step:4}{loss.item():9.4f}{model.weight.item():13.4f}")


if __name__ == "__main__":
    print("step     loss  weight after")
    print("a region for each forward pass")
    train(whole_loop=False)
    print("one region around the loop")
    train(whole_loop=True)
