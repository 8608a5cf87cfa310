import torch

x = torch.linspace(-1, 1, 21)
target = 3 * x * (x > 0.35)
for kind in ("hard", "soft"):
    threshold = torch.tensor(0.0, requires_grad=True)
    scale = torch.tensor(3.0, requires_grad=True)
    if kind == "hard":
        gate = (x > threshold).float()
    else:
        gate = torch.sigmoid((x - threshold) / 0.1)
    (scale * x * gate - target).square().mean().backward()
    for name, parameter in {"scale": scale, "threshold": threshold}.items():
        print(f"{kind} gate, gradient of {name}: {parameter.grad is not None}")
