import warnings

import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import StepLR


def used(order: str, epochs: int = 4, batches: int = 3) -> list[float]:
    """The learning rate of each optimizer step. It should halve once per epoch."""
    optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
    found = []
    for _ in range(epochs):
        if order == "before the epoch":
            scheduler.step()
        for _ in range(batches):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if order == "after each batch":
                scheduler.step()
        if order == "after the epoch":
            scheduler.step()
    return found


if __name__ == "__main__":
    for order in ("after the epoch", "before the epoch", "after each batch"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(f"{order:16}", [round(rate, 3) for rate in used(order, 3)])
        for warning in caught:
            print(f"  {warning.category.__name__}:", str(warning.message)[:63])
