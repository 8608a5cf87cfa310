import torch
from torch import nn

x, y = torch.randn(24, 4), torch.randn(24, 1)


def train(steps: int, state: dict | None = None) -> dict:
    """6 steps an epoch, from the start or from what an earlier call returned."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer, first = torch.optim.Adam(model.parameters()), 0
    if state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        first = state["step"]
    for step in range(first, steps):
        epoch, batch = divmod(step, 6)
        order = torch.randperm(24, generator=torch.Generator().manual_seed(epoch))
        rows = order.split(4)[batch]
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    return state | {"random": torch.get_rng_state(), "step": steps}


def equal(a: dict, b: dict) -> bool:
    return all(
        torch.equal(a["model"][name], b["model"][name]) for name in a["model"]
    )


if __name__ == "__main__":
    half = train(9)  # in the middle of epoch 1
    print(
        "same weights as a run that never stopped:",
        equal(train(15, half), train(15)),
    )
