import torch

for options in ({}, {"foreach": True}, {"fused": True}):
    w = torch.tensor(2.0, requires_grad=True)
    v = torch.tensor(3.0, requires_grad=True)
    optimizer = torch.optim.SGD([w, v], lr=1.0, **options)
    hidden = w * 1
    loss = v * hidden
    loss.backward(retain_graph=True)
    first = w.grad.item(), v.grad.item()
    optimizer.step()
    optimizer.zero_grad()
    try:
        loss.backward()
        second = w.grad.item(), v.grad.item()
    except RuntimeError as error:
        second = type(error).__name__
    print(f"{options}: version {v._version}, gradients {first}, then {second}")
