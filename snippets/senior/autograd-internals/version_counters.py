import torch

print("write                         version  value  backward()")
for write in (
    "h.mul_(10)",
    "h.view(1).mul_(10)",
    "h.detach().mul_(10)",
    "h.add_(1).sub_(1)",
    "h.data.mul_(10)",
    "h.detach().numpy()[...] *= 10",
):
    w = torch.tensor(3.0, requires_grad=True)
    h = w * 1
    loss = h * h
    exec(write)
    try:
        loss.backward()
        result = f"gradient {w.grad:.0f}"
    except RuntimeError as error:
        result = type(error).__name__
    print(f"{write:29} {h._version:7} {h.item():6.0f}  {result}")
