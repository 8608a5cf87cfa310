import torch
from torch import nn


def state_per_parameter(
    build: type[torch.optim.Optimizer], **options: float
) -> float:
    """Numbers that an optimizer keeps after its first step, per trained number."""
    model = nn.Linear(512, 512)
    optimizer = build(model.parameters(), **options)
    model(torch.ones(1, 512)).sum().backward()
    optimizer.step()
    kept = sum(
        value.numel()
        for state in optimizer.state.values()
        for value in state.values()
        if value is not None
    )
    return kept / sum(parameter.numel() for parameter in model.parameters())


if __name__ == "__main__":
    sgd, adamw = torch.optim.SGD, torch.optim.AdamW
    print(f"SGD                {state_per_parameter(sgd):.2f} per parameter")
    print(f"SGD, momentum 0.9  {state_per_parameter(sgd, momentum=0.9):.2f}")
    print(f"AdamW              {state_per_parameter(adamw):.2f}")
