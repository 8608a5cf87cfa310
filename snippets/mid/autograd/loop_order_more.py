import warnings

import torch
import torch.nn.functional as F
from torch import nn

USUAL = "zero forward backward clip step schedule"


def train(order: str, steps: int = 20) -> torch.Tensor:
    """The weight, float32 (1, 4), of a linear model after a loop in this order.

    Args:
        order: the calls of one iteration, separated by blanks, as in USUAL.
        steps: number of iterations. Every fifth one halves the learning rate.
    """
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.5)
    for x, y in zip(
        torch.randn(steps, 8, 4), torch.randn(steps, 8, 1), strict=True
    ):
        for call in order.split():
            if call == "zero":
                optimizer.zero_grad()
            elif call == "forward":
                loss = F.mse_loss(model(x), y)
            elif call == "backward":
                loss.backward()
            elif call == "clip":
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            elif call == "step":
                optimizer.step()
            elif call == "schedule":
                scheduler.step()
    return model.weight.detach()


ORDERS = (
    "forward zero backward clip step schedule",
    "forward backward clip step zero schedule",
    "zero forward clip backward step schedule",
    "zero forward backward step clip schedule",
    "forward backward clip zero step schedule",
    "zero forward backward clip schedule step",
)

if __name__ == "__main__":
    usual, untrained = train(USUAL), train(USUAL, 0)
    print(f"{'':42} weights      warning")
    for order in ORDERS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            weight = train(order)
        result = "as usual" if torch.equal(weight, usual) else "others"
        result = "untrained" if torch.equal(weight, untrained) else result
        print(f"{order:42} {result:12} {'yes' if caught else 'no'}")
