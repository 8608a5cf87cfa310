import torch

for set_to_none in (False, True):
    w = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    (2 * w).sum().backward()
    optimizer.step()
    before = w.item()
    optimizer.zero_grad(set_to_none=set_to_none)
    optimizer.step()  # no backward() in between
    moved = w.item() - before
    print(
        f"set_to_none={set_to_none}: grad = {w.grad}, step() moves w by {moved:.2f}"
    )
