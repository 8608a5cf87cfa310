import torch

for option in "retain_graph", "create_graph":
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor(3.0, requires_grad=True)
    output = w * x
    (slope,) = torch.autograd.grad(output, x, **{option: True})
    loss = output + 10 * slope**2
    loss.backward()
    print(f"{option}=True: loss {loss}, w.grad {w.grad}")
