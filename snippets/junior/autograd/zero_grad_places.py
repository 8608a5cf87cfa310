import torch
import torch.nn.functional as F
from torch import nn

PLACES = ("before forward", "before backward", "before step", "after step", "never")


def train(place: str, steps: int = 20) -> torch.Tensor:
    """The weight, float32 (1, 4), of a linear model after ``steps`` steps of SGD.

    Args:
        place: where ``zero_grad()`` stands, one of PLACES. Nothing else differs.
        steps: number of optimizer steps.
    """
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for x, y in zip(torch.randn(steps, 8, 4), torch.randn(steps, 8, 1)):
        for now in PLACES[:4]:
            if now == "before backward":
                loss = F.mse_loss(model(x), y)
            elif now == "before step":
                loss.backward()
            elif now == "after step":
                optimizer.step()
            if now == place:
                optimizer.zero_grad()
    return model.weight.detach()


if __name__ == "__main__":
    reference = train("before forward")
    for place in PLACES[1:]:
        print(f"{place:15} same weights: {torch.equal(train(place), reference)}")
    print(
        "before step, trained:",
        not torch.equal(train("before step"), train("never", 0)),
    )
