import math

import torch
import torch.nn.functional as F
from torch import nn

OPTIMIZERS = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.5),
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, lr=3e-3),
}


def train(
    classes: int, optimizer_name: str, softmax: bool, steps: int = 120
) -> tuple[float, float, float]:
    """Classify noisy copies of ``classes`` prototypes.

    Returns:
        The first loss, the last loss, and the accuracy.
    """
    torch.manual_seed(0)
    y = torch.arange(1000) % classes
    x = torch.randn(classes, 32)[y] + torch.randn(1000, 32) / 2
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, classes))
    if softmax:
        model.append(nn.Softmax(dim=1))
    optimizer = OPTIMIZERS[optimizer_name](model.parameters())
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return (
        losses[0],
        losses[-1],
        (model(x).argmax(dim=1) == y).float().mean().item(),
    )


if __name__ == "__main__":
    print("classes  optimizer  model ends in  first loss  last loss  accuracy")
    for classes in (10, 100):
        for optimizer_name in OPTIMIZERS:
            for softmax in (False, True):
                first, last, accuracy = train(classes, optimizer_name, softmax)
                end = "softmax" if softmax else "linear"
                print(
                    f"{classes:7}  {optimizer_name:9}  {end:13} {first:11.2f}",
                    f"{last:9.2f} {accuracy:9.2f}",
                )
        least = math.log(1 + (classes - 1) / math.e)
        print(f"{classes:7}  least loss with a softmax: {least:18.2f}")
