import torch

x = torch.ones(3, requires_grad=True)
ys = {"x + 1": x + 1, "-x": -x, "2 * x": 2 * x, "exp": x.exp(), "relu": x.relu()}
for name, y in ys.items():
    x.grad = None
    loss = y.sum()
    loss.backward()
    first = x.grad.clone()
    try:
        loss.backward()
        print(f"{name:5} runs, x.grad went from {first[0]:.0f} to {x.grad[0]:.0f}")
    except RuntimeError as error:
        print(f"{name:5} {type(error).__name__}")
