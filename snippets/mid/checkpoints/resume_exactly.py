import torch

x, y = torch.randn(24, 4), torch.randn(24, 1)


def train(stop, state=None):  # six steps an epoch
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 1), torch.nn.Dropout())
    optimizer = torch.optim.Adam(model.parameters())
    if state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
    for step in range(state["step"] if state else 0, stop):
        order = torch.Generator().manual_seed(step // 6)  # from the epoch
        rows = torch.randperm(24, generator=order)[step % 6 :: 6]
        optimizer.zero_grad()
        (model(x[rows]) - y[rows]).square().mean().backward()
        optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    return state | {"random": torch.get_rng_state(), "step": stop}


ends = [train(15, state)["model"].values() for state in (train(9), None)]
print("same weights as a run that never stopped:", all(map(torch.equal, *ends)))
