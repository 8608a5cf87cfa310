import torch
from torch import Tensor, nn

EMPTY = 4  # the step whose batch has a padded, empty row


def distance(model: nn.Module, step: int) -> Tensor:
    """Mean Euclidean distance between prediction and target."""
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(step))
    if step == EMPTY:
        x[0] = 0.0  # so prediction and target are 0 as well, and the root is of 0
    return (model(x) - x[:, :2]).square().sum(1).sqrt().mean()


def train(guard: str, steps: int = 12, patience: int = 3) -> tuple[str, bool]:
    """Skip the update if the guard sees a number that is not finite.

    Args:
        guard: "nothing", "loss", or "gradient norm".
        patience: skipped updates in a row that stop the run.

    Returns:
        What happened, and whether all weights are finite in the end.
    """
    torch.manual_seed(0)
    model = nn.Linear(4, 2, bias=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    skipped, in_a_row, end = [], 0, "all done"
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss = distance(model, step)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        seen = {"nothing": torch.ones(()), "loss": loss, "gradient norm": norm}
        if seen[guard].isfinite():
            optimizer.step()
            in_a_row = 0
            continue
        skipped.append(step)
        in_a_row += 1
        if in_a_row == patience:
            end = f"stopped at {step}"
            break
    finite = all(p.isfinite().all() for p in model.parameters())
    return f"{skipped!s:14}{end:14}", bool(finite)


if __name__ == "__main__":
    model = nn.Linear(4, 2, bias=False)
    loss = distance(model, EMPTY)
    loss.backward()
    print("empty row: the loss is finite:", bool(loss.isfinite()))
    print(
        "empty row: the gradient is finite:",
        bool(model.weight.grad.isfinite().all()),
    )
    print("guard looks at   skipped       end           weights are finite")
    for guard in ("nothing", "loss", "gradient norm"):
        text, finite = train(guard)
        print(f"{guard:17}{text}{finite}")
