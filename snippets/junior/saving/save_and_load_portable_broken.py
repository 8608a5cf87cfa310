import torch
from torch import nn


def load_report(
    model: nn.Module, weights: dict[str, torch.Tensor], strict: bool
) -> str:
    """Load the weights: how many tensors changed, or the first two complaints."""
    before = [tensor.clone() for tensor in model.state_dict().values()]
    try:
        model.load_state_dict(weights, strict=strict)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return "\n".join(
            ["RuntimeError:", *("    " + line[:80] for line in lines[1:3])]
        )
    changed = sum(
        not torch.equal(old, new)
        for old, new in zip(before, model.state_dict().values())
    )
    return f"no error, {changed} of {len(before)} tensors changed"


if __name__ == "__main__":
    torch.manual_seed(0)
    weights = nn.Linear(4, 2).state_dict()
    print(
        "into Linear(4, 2):             ",
        load_report(nn.Linear(4, 2), weights, strict=True),
    )
    print(
        "into Linear(4, 3):             ",
        load_report(nn.Linear(4, 3), weights, strict=True),
    )
    print(
        "into Linear(4, 3), not strict: ",
        load_report(nn.Linear(4, 3), weights, strict=False),
    )
    print(
        "into a Sequential:             ",
        load_report(nn.Sequential(nn.Linear(4, 2)), weights, strict=True),
    )
    print(
        "into a Sequential, not strict: ",
        load_report(nn.Sequential(nn.Linear(4, 2)), weights, strict=False),
    )
