import torch
from torch.amp import GradScaler


def skipped(scaler: GradScaler, steps: int = 20) -> int:
    """How many of the steps the scaler skips, because a float16 gradient is inf."""
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=1e-3)
    count = 0
    for _ in range(steps):
        before = weight.item()
        optimizer.zero_grad()
        scaler.scale((100 * weight.half()).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        count += weight.item() == before
    return count


if __name__ == "__main__":
    scaler = GradScaler("cpu")
    print(f"first run:        {skipped(scaler)} of 20 steps skipped")
    state = scaler.state_dict()
    scale, clean = state["scale"], state["_growth_tracker"]
    print(f"                  then scale {scale:g}, {clean} clean steps in a row")
    resumed = GradScaler("cpu")
    resumed.load_state_dict(state)
    print(f"scaler restored:  {skipped(resumed)} of 20 steps skipped")
    print(f"scaler lost:      {skipped(GradScaler('cpu'))} of 20 steps skipped")
